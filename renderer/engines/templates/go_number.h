// Numbers as Go reads and prints them. Source: Go strconv.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace renderer {

struct GoInteger {
    enum class Fault : std::uint8_t { None, Syntax, Range };
    Fault fault = Fault::None;
    std::int64_t value = 0;  // of one out of range the nearest
};

// Of base 10, or of the base that a prefix says: `0x1f`, `0o17`, `017`, `0b1`, `1_000`.
GoInteger parse_integer(std::string_view text, bool has_prefix);

// A decimal fraction. No value: it is none, or (`is_known` is false then) only Go knows.
struct GoReal {
    std::optional<double> value = {};
    bool is_known = true;
};
GoReal parse_real(std::string_view text);

// What a JSON document calls a number; no value for other spellings and where Go refuses it.
std::optional<double> json_real(std::string_view text);

// The shortest digits that say the number, as `%v` prints them: `1e+06`, `0.25`.
std::string shortest(double number);

// As encoding/json prints it.
std::string json_spelling_of(double number);

}  // namespace renderer
