#include "renderer/core/plain_scalar.h"

#include <algorithm>
#include <array>

namespace renderer {

namespace {

constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 6> kSpecial = {".inf", ".Inf", ".INF",
                                                      ".nan", ".NaN", ".NAN"};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string_view skip_sign(std::string_view text) {
    return text.starts_with('+') || text.starts_with('-') ? text.substr(1) : text;
}

template <typename Predicate>
bool all_digits(std::string_view digits, Predicate is_one) {
    return !digits.empty() && digits.front() != '_' &&
           std::ranges::all_of(digits, [&](char c) { return c == '_' || is_one(c); });
}

bool is_integer(std::string_view text) {
    const std::string_view digits = skip_sign(text);
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
        return all_digits(digits.substr(2), [](char c) {
            return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        });
    }
    if (digits.starts_with("0b") || digits.starts_with("0B")) {
        return all_digits(digits.substr(2), [](char c) { return c == '0' || c == '1'; });
    }
    if (digits.starts_with("0o") || digits.starts_with("0O")) {
        return all_digits(digits.substr(2), [](char c) { return c >= '0' && c <= '7'; });
    }
    return all_digits(digits, is_digit);
}

// ^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$
bool is_float(std::string_view text) {
    std::string_view rest = skip_sign(text);
    const auto take_digits = [&rest] {
        const auto end = std::ranges::find_if_not(rest, is_digit);
        const auto count = static_cast<std::size_t>(end - rest.begin());
        rest.remove_prefix(count);
        return count;
    };
    const std::size_t whole = take_digits();
    std::size_t fraction = 0;
    if (rest.starts_with('.')) {
        rest.remove_prefix(1);
        fraction = take_digits();
    }
    if (whole + fraction == 0) {
        return false;
    }
    if (rest.starts_with('e') || rest.starts_with('E')) {
        rest = skip_sign(rest.substr(1));
        return take_digits() > 0 && rest.empty();
    }
    return rest.empty();
}

bool is_special(std::string_view text) {
    return std::ranges::find(kSpecial, skip_sign(text)) != kSpecial.end();
}

bool may_be_number(char first) {
    return is_digit(first) || first == '+' || first == '-' || first == '.';
}

}  // namespace

Value::Kind plain_kind(std::string_view text) {
    if (text.size() <= 5) {
        if (std::ranges::find(kNull, text) != kNull.end()) {
            return Value::Kind::Null;
        }
        if (std::ranges::find(kTrue, text) != kTrue.end() ||
            std::ranges::find(kFalse, text) != kFalse.end()) {
            return Value::Kind::Bool;
        }
    }
    if (may_be_number(text.front()) && (is_integer(text) || is_float(text) || is_special(text))) {
        return Value::Kind::Number;
    }
    return Value::Kind::String;
}

Value resolve_plain(std::string_view text) {
    switch (plain_kind(text)) {
        case Value::Kind::Null:
            return {};
        case Value::Kind::Bool:
            return Value(std::ranges::find(kTrue, text) != kTrue.end());
        case Value::Kind::Number:
            return Value::number(text);
        case Value::Kind::String:
        case Value::Kind::List:
        case Value::Kind::Map:
            break;
    }
    return Value(text);
}

}  // namespace renderer
