#include "renderer/engines/templates/go_number.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <system_error>

#include "renderer/base/ascii.h"

namespace renderer::engines {

namespace {

using Fault = GoInteger::Fault;

constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
constexpr auto kSmallest = std::numeric_limits<std::int64_t>::min();

int digit_of(char c) {
    const char lower = lower_case(c);
    return is_digit(c) ? c - '0' : is_lower(lower) ? lower - 'a' + 10 : 99;
}

// Removes the prefix of the base, if there is one, and returns the base.
int base_of(std::string_view& digits) {
    if (!digits.starts_with('0') || digits.size() == 1) {
        return 10;
    }
    const char mark = digits.size() > 2 ? lower_case(digits[1]) : '\0';
    const int base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
    digits.remove_prefix(base == 0 ? 1 : 2);
    return base == 0 ? 8 : base;
}

// True if each underscore is between two digits, or between a prefix and a digit.
bool has_good_underscores(std::string_view digits, bool has_prefix) {
    bool is_behind_digit = has_prefix;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (digits[i] != '_') {
            is_behind_digit = true;
        } else if (!is_behind_digit || i + 1 == digits.size()) {
            return false;
        } else {
            is_behind_digit = false;
        }
    }
    return true;
}

// A number's digits without zeros at the end, and its decimal exponent: 1200 is "12" and 3.
struct Digits {
    std::string digits;
    int exponent = 0;
    bool is_negative = false;
};

Digits digits_of(double number) {
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(number),
                                   std::chars_format::scientific)
                         .ptr;
    const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    const std::size_t mark = text.find('e');
    Digits out{.digits = std::string(text.substr(0, mark)), .is_negative = std::signbit(number)};
    std::erase(out.digits, '.');
    const std::string_view exponent = text.substr(mark + 1);
    const std::string_view plain = exponent.substr(exponent.starts_with('+') ? 1 : 0);
    std::from_chars(plain.data(), plain.data() + plain.size(), out.exponent);
    return out;
}

std::string in_full(const Digits& number) {
    std::string out = number.is_negative ? "-" : "";
    if (number.exponent < 0) {
        out += "0.";
        out.append(static_cast<std::size_t>(-number.exponent - 1), '0');
        return out + number.digits;
    }
    const std::size_t whole = static_cast<std::size_t>(number.exponent) + 1;
    if (whole >= number.digits.size()) {
        out += number.digits;
        out.append(whole - number.digits.size(), '0');
        return out;
    }
    return out + number.digits.substr(0, whole) + "." + number.digits.substr(whole);
}

std::string with_exponent(const Digits& number, int least_digits) {
    std::string out = number.is_negative ? "-" : "";
    out += number.digits[0];
    if (number.digits.size() > 1) {
        out += "." + number.digits.substr(1);
    }
    return out + fmt::format("e{}{:0{}}", number.exponent < 0 ? '-' : '+',
                             std::abs(number.exponent), least_digits);
}

std::optional<double> real_of(std::string_view text) {
    text.remove_prefix(text.starts_with('+') ? 1 : 0);
    double number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
    return is_whole ? std::optional(number) : std::nullopt;
}

std::size_t skip_digits(std::string_view text, std::size_t from) {
    while (from < text.size() && is_digit(text[from])) {
        ++from;
    }
    return from;
}

}  // namespace

GoInteger parse_integer(std::string_view text, bool has_prefix) {
    const bool is_negative = text.starts_with('-');
    std::string_view digits = text.substr(is_negative || text.starts_with('+') ? 1 : 0);
    if (digits.empty()) {
        return {.fault = Fault::Syntax};
    }
    const std::size_t before = digits.size();
    const int base = has_prefix ? base_of(digits) : 10;
    const bool is_prefixed = digits.size() != before;
    if (digits.empty() || !has_good_underscores(digits, is_prefixed)) {
        return {.fault = Fault::Syntax};
    }
    std::uint64_t number = 0;
    bool is_too_large = false;
    for (const char c : digits) {
        if (c == '_' && has_prefix) {
            continue;
        }
        const int digit = digit_of(c);
        if (digit >= base) {
            return {.fault = Fault::Syntax};
        }
        const auto limit = static_cast<std::uint64_t>(kLargest) + (is_negative ? 1 : 0);
        const auto value = static_cast<std::uint64_t>(digit);
        is_too_large = is_too_large || number > (limit - value) / static_cast<std::uint64_t>(base);
        number = number * static_cast<std::uint64_t>(base) + value;
    }
    if (is_too_large) {
        return {.fault = Fault::Range, .value = is_negative ? kSmallest : kLargest};
    }
    return {.value = static_cast<std::int64_t>(is_negative ? ~number + 1 : number)};
}

GoReal parse_real(std::string_view text) {
    const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
    const std::size_t point = skip_digits(text, sign);
    std::size_t end = point;
    std::size_t digits = point - sign;
    if (end < text.size() && text[end] == '.') {
        end = skip_digits(text, end + 1);
        digits += end - point - 1;
    }
    if (digits > 0 && end < text.size() && lower_case(text[end]) == 'e') {
        const std::size_t first = end + 1;
        const bool has_sign = first < text.size() && (text[first] == '-' || text[first] == '+');
        const std::size_t from = first + (has_sign ? 1 : 0);
        end = skip_digits(text, from);
        digits = end == from ? 0 : digits;
    }
    // Go also accepts infinity, hexadecimal fractions and `1_0.5`.
    if (digits == 0 || end != text.size()) {
        const bool may_be = text.find_first_of("_xXiInN") != std::string_view::npos;
        return {.is_known = !may_be};
    }
    const std::optional<double> value = real_of(text);
    return {.value = value, .is_known = value.has_value()};
}

std::optional<double> json_real(std::string_view text) {
    std::string_view rest = text.substr(text.starts_with('-') ? 1 : 0);
    const bool is_plain = !rest.empty() && is_digit(rest[0]) &&
                          (rest[0] != '0' || rest.size() == 1 || !is_digit(rest[1])) &&
                          rest.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
    const std::size_t point = rest.find('.');
    const bool is_bare =
        point != std::string_view::npos && (point + 1 == rest.size() || !is_digit(rest[point + 1]));
    // A YAML document reads `-0` as 0.
    return is_plain && !is_bare && text != "-0" ? parse_real(text).value : std::nullopt;
}

std::string shortest(double number) {
    const Digits digits = digits_of(number);
    const bool is_far = digits.exponent < -4 || digits.exponent >= 6;
    return is_far ? with_exponent(digits, 2) : in_full(digits);
}

std::string json_spelling_of(double number) {
    const double size = std::abs(number);
    const bool is_far = number != 0 && (size < 1e-6 || size >= 1e21);
    return is_far ? with_exponent(digits_of(number), 1) : in_full(digits_of(number));
}

}  // namespace renderer::engines
