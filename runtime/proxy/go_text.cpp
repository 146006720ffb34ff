#include "runtime/proxy/go_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "runtime/proxy/environment.h"

namespace runtime::proxy {

namespace {

constexpr std::string_view kSpace = " \t\n\v\f\r";

struct Unit {
    std::string_view name;
    double milliseconds;
};

constexpr Unit kUnits[] = {{"ns", 1e-6}, {"us", 1e-3}, {"µs", 1e-3}, {"μs", 1e-3},
                           {"ms", 1.0},  {"s", 1e3},   {"m", 60e3},  {"h", 3600e3}};

// Removes the wanted characters from the front of `text`, and returns them.
std::string_view take_while(std::string_view& text, bool (*is_wanted)(char)) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_wanted);
    const std::string_view front = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(front.size());
    return front;
}

bool is_digit_or_point(char byte) {
    return (byte >= '0' && byte <= '9') || byte == '.';
}

bool is_of_unit(char byte) {
    return !is_digit_or_point(byte);
}

}  // namespace

std::string quote_go(std::string_view text) {
    std::string out = "\"";
    for (const char byte : text) {
        constexpr std::string_view kPlain = "\"\\\n\t\r";
        constexpr std::string_view kEscaped = "\"\\ntr";
        if (const std::size_t which = kPlain.find(byte); which != std::string_view::npos) {
            out.append({'\\', kEscaped[which]});
        } else if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F) {
            out.append(fmt::format("\\x{:02x}", byte));
        } else {
            out += byte;
        }
    }
    return out + '"';
}

std::vector<std::string> fields_of(std::string_view text) {
    std::vector<std::string> out;
    for (std::size_t at = text.find_first_not_of(kSpace); at != std::string_view::npos;
         at = text.find_first_not_of(kSpace)) {
        text.remove_prefix(at);
        const std::size_t end = std::min(text.find_first_of(kSpace), text.size());
        out.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return out;
}

// Parses as strconv.ParseBool does.
std::optional<bool> parse_go_bool(std::string_view text) {
    constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "TRUE", "true", "True"};
    constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "FALSE", "false", "False"};
    if (std::find(kTrue.begin(), kTrue.end(), text) != kTrue.end()) {
        return true;
    }
    return std::find(kFalse.begin(), kFalse.end(), text) != kFalse.end() ? std::optional(false)
                                                                         : std::nullopt;
}

// Parses as time.ParseDuration does.
std::optional<Duration> parse_go_duration(std::string_view text) {
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) {
        text.remove_prefix(1);
    }
    if (text == "0") {
        return Duration{};
    }
    double milliseconds = 0;
    bool is_empty = true;
    while (!text.empty()) {
        const std::string_view digits = take_while(text, is_digit_or_point);
        const std::string_view name = take_while(text, is_of_unit);
        double number = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(),
                                                  number, std::chars_format::fixed);
        const auto unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                       [&](const Unit& known) { return known.name == name; });
        if (error != std::errc() || end != digits.data() + digits.size() ||
            unit == std::end(kUnits)) {
            return std::nullopt;
        }
        milliseconds += number * unit->milliseconds;
        is_empty = false;
    }
    constexpr double kLongest = 9.2e12;  // Go counts nanoseconds in 64 bits
    if (is_empty || milliseconds > kLongest) {
        return std::nullopt;
    }
    const Duration out(static_cast<Duration::rep>(milliseconds));
    return is_negative ? -out : out;
}

}  // namespace runtime::proxy
