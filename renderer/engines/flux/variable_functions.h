// Functions of expressions on the value of a variable: `${NAME:1:2}`, `${NAME//a/b}`, `${NAME%.*}`.
// Offsets count bytes. Source: fluxcd/pkg envsubst/funcs.go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace renderer::engines {

// `operation`: "" for none, "length", ":", "/", "//", "/#", "/%", "#", "##", "%", "%%", "^", "^^",
// ",", ",,", or one that gives a default, such as ":-".
std::string apply_function(std::string_view operation, std::string value,
                           const std::vector<std::string>& arguments);

}  // namespace renderer::engines
