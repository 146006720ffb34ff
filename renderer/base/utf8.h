// UTF-8, and which bytes a YAML text may hold. yaml-cpp replaces bad ones silently.
#pragma once

#include <cstddef>
#include <string_view>

namespace renderer {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Not the first byte of a character.
constexpr bool is_continuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// Of well-formed text.
std::size_t count_characters(std::string_view text);

// Offset of the first byte that is not part of well-formed UTF-8 (RFC 3629), or npos.
std::size_t find_bad_utf8(std::string_view text);

// Offset of the first byte that is bad UTF-8 or a character that YAML forbids (control characters
// but tab and line ends, carriage returns without a line feed; YAML 1.2.2, rule c-printable), or
// npos.
std::size_t find_bad_character(std::string_view text);

}  // namespace renderer
