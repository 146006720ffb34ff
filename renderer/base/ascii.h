// Classes of ASCII characters, independent of the locale. Other bytes belong to no class.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace renderer::inline base {

constexpr bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
constexpr bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
constexpr bool is_letter(char c) {
    return is_lower(c) || is_upper(c);
}
constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
constexpr bool is_lower_or_digit(char c) {
    return is_lower(c) || is_digit(c);
}
constexpr bool is_alphanumeric(char c) {
    return is_letter(c) || is_digit(c);
}

constexpr char lower_case(char c) {
    return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
inline std::string lower_case(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](char c) { return lower_case(c); });
    return result;
}

}  // namespace renderer::inline base
