// Values as Go's fmt prints them. Source: Go fmt.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "renderer/engines/templates/template_value.h"

namespace renderer {

// As `%v`. No value: it is too long, or holds what only Go knows.
std::optional<std::string> printed(const GoValue& value);

// As `%q`. No value: of a character only Go knows whether it is printed.
std::optional<std::string> go_quoted(std::string_view text);

// fmt.Sprintf. No value: a verb or a flag that is not known here.
std::optional<std::string> formatted(std::string_view format, std::span<const GoValue> arguments);

// Of the character at the front its size, and whether Go prints it as it is, which is only known of
// letters of common scripts.
struct FrontCharacter {
    std::size_t size = 1;
    char32_t code = 0;
    bool is_good = false;  // well-formed
    bool is_common = false;
};
FrontCharacter front_character(std::string_view text);

void append_character(char32_t code, std::string& out);

}  // namespace renderer
