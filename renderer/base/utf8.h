// UTF-8, and the bytes that a YAML text may contain. yaml-cpp replaces bad ones silently.
#pragma once

#include <cstddef>
#include <string_view>

namespace renderer::inline base {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// True for every byte of a character but the first.
constexpr bool is_continuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// The text must be well-formed.
std::size_t count_characters(std::string_view text);

// True for text with the byte order mark of UTF-16, or with its first character in two bytes.
constexpr bool begins_as_utf16(std::string_view text) {
    const std::string_view first = text.substr(0, 2);
    return first == "\xFF\xFE" || first == "\xFE\xFF" || first.find('\0') != std::string_view::npos;
}

// Returns the offset of the first byte that is not part of well-formed UTF-8 (RFC 3629), or npos.
std::size_t find_bad_utf8(std::string_view text);

// Returns the offset of the first byte that is bad UTF-8 or a character that YAML forbids (control
// characters except tab and line ends, carriage returns without a line feed; YAML 1.2.2, rule
// c-printable), or npos.
std::size_t find_bad_character(std::string_view text);

}  // namespace renderer::inline base
