#include "renderer/core/plain_scalar.h"

#include <algorithm>
#include <array>
#include <string>

#include "renderer/base/ascii.h"

namespace renderer::inline core {

namespace {

constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 12> kSpecial = {".nan",  ".NaN",  ".NAN",  ".inf",
                                                       ".Inf",  ".INF",  "+.inf", "+.Inf",
                                                       "+.INF", "-.inf", "-.Inf", "-.INF"};

std::string_view skip_sign(std::string_view text) {
    return text.starts_with('+') || text.starts_with('-') ? text.substr(1) : text;
}

bool has_prefix(std::string_view digits, char letter) {
    return digits.size() > 2 && digits[0] == '0' && (digits[1] | 0x20) == letter;
}

bool is_integer(std::string_view text) {
    std::string_view digits = skip_sign(text);
    if (has_prefix(digits, 'x')) {
        return digits.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
    }
    if (has_prefix(digits, 'b')) {
        return digits.find_first_not_of("01", 2) == std::string_view::npos;
    }
    if (has_prefix(digits, 'o')) {
        return digits.find_first_not_of("01234567", 2) == std::string_view::npos;
    }
    return !digits.empty() && std::ranges::all_of(digits, is_digit);
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

bool underscores_join_digits(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '_' &&
            (i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) || !is_digit(text[i + 1]))) {
            return false;
        }
    }
    return true;
}

// Underscores are ignored anywhere after a first digit or sign; after a leading point they must be
// between digits.
bool is_number(std::string_view text) {
    if (std::ranges::find(kSpecial, text) != kSpecial.end()) {
        return true;
    }
    if (text.find('_') == std::string_view::npos) {
        return is_integer(text) || is_float(text);
    }
    if (text.front() == '.' && !underscores_join_digits(text)) {
        return false;
    }
    std::string plain(text);
    std::erase(plain, '_');
    return is_integer(plain) || is_float(plain);
}

constexpr std::size_t kLongestWord = 5;  // "false"

}  // namespace

Value::Kind plain_kind(std::string_view text) {
    constexpr std::string_view kFirstOfWords = "yYnNtTfFoO~";
    constexpr std::string_view kFirstOfNumbers = "0123456789+-.";
    if (text.empty()) {
        return Value::Kind::Null;
    }
    if (kFirstOfNumbers.find(text.front()) != std::string_view::npos) {
        return is_number(text) ? Value::Kind::Number : Value::Kind::String;
    }
    if (text.size() > kLongestWord || kFirstOfWords.find(text.front()) == std::string_view::npos) {
        return Value::Kind::String;
    }
    if (std::ranges::find(kNull, text) != kNull.end()) {
        return Value::Kind::Null;
    }
    const bool word = std::ranges::find(kTrue, text) != kTrue.end() ||
                      std::ranges::find(kFalse, text) != kFalse.end();
    return word ? Value::Kind::Bool : Value::Kind::String;
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

}  // namespace renderer::inline core
