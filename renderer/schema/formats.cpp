#include "renderer/schema/formats.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string>

#include "renderer/base/ascii.h"

namespace renderer {

namespace {

bool is_base64_digit(char c) {
    return is_alphanumeric(c) || c == '+' || c == '/';
}

// Takes digits of exactly that count; -1 when they are not there.
int take_number(std::string_view& text, std::size_t digits) {
    if (text.size() < digits || !std::ranges::all_of(text.substr(0, digits), is_digit)) {
        return -1;
    }
    int number = 0;
    std::from_chars(text.data(), text.data() + digits, number);
    text.remove_prefix(digits);
    return number;
}

bool take_in_range(std::string_view& text, std::size_t digits, int least, int most) {
    const int number = take_number(text, digits);
    return number >= least && number <= most;
}

bool take_char(std::string_view& text, char c) {
    const bool there = text.starts_with(c);
    text.remove_prefix(there ? 1 : 0);
    return there;
}

int days_of(int year, int month) {
    constexpr std::array kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return kDays.at(static_cast<std::size_t>(month - 1)) + (month == 2 && leap ? 1 : 0);
}

bool take_date(std::string_view& text) {
    const int year = take_number(text, 4);
    if (year < 0 || !take_char(text, '-')) {
        return false;
    }
    const int month = take_number(text, 2);
    return month >= 1 && month <= 12 && take_char(text, '-') &&
           take_in_range(text, 2, 1, days_of(year, month));
}

bool take_clock(std::string_view& text) {
    return take_in_range(text, 2, 0, 23) && take_char(text, ':') && take_in_range(text, 2, 0, 59) &&
           take_char(text, ':') && take_in_range(text, 2, 0, 59);
}

bool take_fraction(std::string_view& text) {
    if (!take_char(text, '.') && !take_char(text, ',')) {
        return true;
    }
    const std::size_t digits =
        static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
    text.remove_prefix(digits);
    return digits > 0;
}

bool take_zone(std::string_view& text) {
    if (take_char(text, 'Z')) {
        return true;
    }
    return (take_char(text, '+') || take_char(text, '-')) && take_in_range(text, 2, 0, 24) &&
           take_char(text, ':') && take_in_range(text, 2, 0, 60);
}

}  // namespace

bool is_base64(std::string_view text) {
    std::size_t digits = 0;
    std::size_t padding = 0;
    for (const char c : text) {
        if (c == '\n' || c == '\r') {
            continue;
        }
        if (c == '=') {
            ++padding;
        } else if (!is_base64_digit(c) || padding > 0) {
            return false;
        } else {
            ++digits;
        }
    }
    return padding <= 2 && (digits + padding) % 4 == 0;
}

bool is_rfc3339(std::string_view text) {
    return take_date(text) && take_char(text, 'T') && take_clock(text) && take_fraction(text) &&
           take_zone(text) && text.empty();
}

bool is_cidr(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) {
        return false;
    }
    const std::string address(text.substr(0, slash));
    std::string_view digits = text.substr(slash + 1);
    const bool is_v6 = address.find(':') != std::string::npos;
    std::array<unsigned char, sizeof(in6_addr)> bytes{};
    if (::inet_pton(is_v6 ? AF_INET6 : AF_INET, address.c_str(), bytes.data()) != 1) {
        return false;
    }
    const std::size_t size = digits.size();
    return size >= 1 && size <= 3 && take_in_range(digits, size, 0, is_v6 ? 128 : 32);
}

}  // namespace renderer
