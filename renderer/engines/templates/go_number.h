// Reads and prints numbers as Go does. Source: Go strconv.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace renderer::engines {

struct GoInteger {
    enum class Fault : std::uint8_t { None, Syntax, Range };
    Fault fault = Fault::None;
    std::int64_t value = 0;  // if out of range, the nearest number
};

// Parses an integer in base 10 or, with `has_prefix`, in the base that its prefix selects: `0x1f`,
// `0o17`, `017`, `0b1`, `1_000`.
GoInteger parse_integer(std::string_view text, bool has_prefix);

// A decimal fraction. Without a value, the text is not a number, or, if `is_known` is false, only
// Go can read it.
struct GoReal {
    std::optional<double> value = {};
    bool is_known = true;
};
GoReal parse_real(std::string_view text);

// Parses a number of a JSON document. Returns nothing for other spellings and for numbers that Go
// rejects.
std::optional<double> json_real(std::string_view text);

// Prints the shortest digits that identify the number, as `%v` does: `1e+06`, `0.25`.
std::string shortest(double number);

// Prints the number as encoding/json does.
std::string json_spelling_of(double number);

}  // namespace renderer::engines
