// Prints values as Go's fmt does. Source: Go fmt.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "renderer/engines/templates/template_value.h"

namespace renderer::engines {

// Prints a value as `%v` does. Returns nothing if it is too long or only Go can print it.
std::optional<std::string> printed(const GoValue& value);

// Quotes a string as `%q` does. Returns nothing if only Go can tell whether a character is
// printable.
std::optional<std::string> go_quoted(std::string_view text);

// fmt.Sprintf. Returns nothing if a verb or a flag is not implemented here.
std::optional<std::string> formatted(std::string_view format, std::span<const GoValue> arguments);

// The first character of a string. `is_common`: Go prints it as it is; this is only decided for the
// letters of common scripts.
struct FrontCharacter {
    std::size_t size = 1;
    char32_t code = 0;
    bool is_good = false;  // well-formed
    bool is_common = false;
};
FrontCharacter front_character(std::string_view text);

void append_character(char32_t code, std::string& out);

}  // namespace renderer::engines
