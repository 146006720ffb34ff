// Functions of numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "renderer/base/ascii.h"
#include "renderer/engines/templates/go_number.h"
#include "renderer/engines/templates/template_functions.h"

namespace renderer::engines {

namespace {

constexpr std::int64_t kMostNumbers = 10'000;
constexpr double kTwoTo63 = 9223372036854775808.0;

// Parses an integer if all releases of sprig agree on it. They differ for leading zeros, other
// bases and fractions.
GoInteger integer_in(const std::string& text, bool is_flux) {
    constexpr GoInteger kUnknown = {.fault = GoInteger::Fault::Range};
    const bool has_digits = std::ranges::any_of(text, is_digit);
    std::string_view digits = text;
    const std::size_t point = digits.find('.');
    if (!is_flux && point != std::string_view::npos && point + 1 < digits.size() &&
        digits.find_first_not_of('0', point + 1) == std::string_view::npos) {
        digits = digits.substr(0, point);
    }
    const std::string_view unsigned_digits =
        digits.substr(digits.starts_with('-') || digits.starts_with('+') ? 1 : 0);
    const bool is_plain = !unsigned_digits.empty() &&
                          std::ranges::all_of(unsigned_digits, is_digit) &&
                          (unsigned_digits[0] != '0' || unsigned_digits.size() == 1);
    return is_plain ? parse_integer(digits, false) : has_digits ? kUnknown : GoInteger();
}

double to_real(TemplateCall& call, const GoValue& value) {
    if (value.is(GoKind::Float)) {
        return value.real();
    }
    if (!value.is_text()) {
        const bool is_number = value.is_integer() || value.is(GoKind::Bool);
        return is_number ? static_cast<double>(value.whole()) : 0;
    }
    const GoReal real = parse_real(value.text());
    if (!real.is_known) {
        call.fail(fmt::format("the number \"{}\" is not supported", value.text()));
    }
    return real.value.value_or(0);
}

// Wraps around, as Go's integers do.
std::int64_t around(std::uint64_t number) {
    return static_cast<std::int64_t>(number);
}

GoValue calculate(TemplateCall& call) {
    const std::string_view name = call.name;
    std::uint64_t sum = name == "add1" ? 1 : 0;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        const auto number = static_cast<std::uint64_t>(to_int64(call, call.arguments[i]));
        sum = name == "mul"   ? (i == 0 ? number : sum * number)
              : name == "sub" ? (i == 0 ? number : sum - number)
                              : sum + number;
    }
    return GoValue::integer64(around(sum));
}

GoValue divide(TemplateCall& call) {
    const std::int64_t one = to_int64(call, call.arguments[0]);
    const std::int64_t other = to_int64(call, call.arguments[1]);
    if (other == 0 || (other == -1 && one == std::numeric_limits<std::int64_t>::min())) {
        return call.fail(fmt::format("{} by {}", one, other));
    }
    return GoValue::integer64(call.name == "div" ? one / other : one % other);
}

GoValue extreme(TemplateCall& call) {
    std::int64_t found = to_int64(call, call.arguments[0]);
    for (const GoValue& value : call.arguments) {
        const std::int64_t number = to_int64(call, value);
        found = call.name == "min" ? std::min(found, number) : std::max(found, number);
    }
    return GoValue::integer64(found);
}

GoValue extreme_real(TemplateCall& call) {
    double found = to_real(call, call.arguments[0]);
    for (const GoValue& value : call.arguments) {
        const double number = to_real(call, value);
        if (number == 0 && found == 0) {
            found = std::signbit(number) == (call.name == "minf") ? number : found;
        } else {
            found = call.name == "minf" ? std::min(found, number) : std::max(found, number);
        }
    }
    return GoValue::real(found);
}

GoValue round_down_or_up(TemplateCall& call) {
    const double number = to_real(call, call.arguments[0]);
    return GoValue::real(call.name == "floor" ? std::floor(number) : std::ceil(number));
}

// `round 1.25 1`; the third argument is the fraction from which it rounds up.
GoValue round_number(TemplateCall& call) {
    constexpr std::array<double, 7> kPowers = {1, 10, 100, 1000, 1e4, 1e5, 1e6};
    const std::int64_t places = call.arguments[1].whole();
    if (places < 0 || places >= static_cast<std::int64_t>(kPowers.size())) {
        return call.fail(fmt::format("{} places", places));
    }
    const double power = kPowers[static_cast<std::size_t>(places)];
    const double from = call.arguments.size() > 2 ? call.arguments[2].real() : 0.5;
    const double number = power * to_real(call, call.arguments[0]);
    const double part = number - std::trunc(number);
    return GoValue::real((part >= from ? std::ceil(number) : std::floor(number)) / power);
}

GoValue convert(TemplateCall& call) {
    const GoValue& value = call.arguments[0];
    if (call.name == "float64") {
        return GoValue::real(to_real(call, value));
    }
    if (call.name == "atoi") {
        const GoInteger number = parse_integer(value.text(), false);
        return GoValue::integer(number.value);
    }
    const std::int64_t number = to_int64(call, value);
    return call.name == "int" ? GoValue::integer(number) : GoValue::integer64(number);
}

// Returns nothing if there are too many numbers.
std::optional<std::vector<std::int64_t>> counted_steps(std::int64_t start, std::int64_t stop,
                                                       std::int64_t step) {
    std::vector<std::int64_t> out;
    if ((stop < start && step >= 0) || (stop >= start && step <= 0)) {
        return out;
    }
    constexpr std::int64_t kFar = std::int64_t{1} << 40U;
    if (std::max({std::abs(start), std::abs(stop), std::abs(step)}) > kFar ||
        (stop - start) / step > kMostNumbers) {
        return std::nullopt;
    }
    for (std::int64_t i = start; step < 0 ? i > stop : i < stop; i += step) {
        out.push_back(i);
    }
    return out;
}

GoValue count(TemplateCall& call) {
    const bool has_step = call.name == "untilStep";
    const std::int64_t first = call.arguments[0].whole();
    const auto steps =
        has_step ? counted_steps(first, call.arguments[1].whole(), call.arguments[2].whole())
                 : counted_steps(0, first, first < 0 ? -1 : 1);
    if (!steps) {
        return call.fail("its result has too many numbers");
    }
    GoList* made = call.heap.list();
    for (const std::int64_t number : *steps) {
        made->items.push_back(GoValue::integer(number));
    }
    return GoValue::list(made, GoElement::Int);
}

// `seq 1 2 10`: start, step, end.
GoValue sequence(TemplateCall& call) {
    const std::size_t size = call.arguments.size();
    if (size == 0 || size > 3) {
        return GoValue::text("");
    }
    const std::int64_t start = size == 1 ? 1 : call.arguments[0].whole();
    const std::int64_t end = call.last().whole();
    const std::int64_t towards = end < start ? -1 : 1;
    const std::int64_t step = size == 3 ? call.arguments[1].whole() : towards;
    if (size == 3 && end < start && step > 0) {
        return GoValue::text("");
    }
    constexpr std::int64_t kFar = std::int64_t{1} << 40U;
    const auto steps =
        std::abs(end) > kFar ? std::nullopt : counted_steps(start, end + towards, step);
    return steps ? GoValue::text(fmt::format("{}", fmt::join(*steps, " ")))
                 : call.fail("its result has too many numbers");
}

constexpr auto kNumbers = std::to_array<TemplateFunction>({
    {"add", "a*", calculate},        {"add1", "a", calculate},
    {"sub", "aa", calculate},        {"mul", "aa*", calculate},
    {"div", "aa", divide},           {"mod", "aa", divide},
    {"max", "aa*", extreme},         {"biggest", "aa*", extreme},
    {"min", "aa*", extreme},         {"maxf", "aa*", extreme_real},
    {"minf", "aa*", extreme_real},   {"floor", "a", round_down_or_up},
    {"ceil", "a", round_down_or_up}, {"round", "aif*", round_number},
    {"int", "a", convert},           {"int64", "a", convert},
    {"float64", "a", convert},       {"atoi", "s", convert},
    {"until", "i", count},           {"untilStep", "iii", count},
    {"seq", "i*", sequence},
});

}  // namespace

std::span<const TemplateFunction> number_functions() {
    return kNumbers;
}

std::int64_t to_int64(TemplateCall& call, const GoValue& value) {
    if (value.is_text()) {
        const GoInteger number = integer_in(value.text(), call.is_flux);
        if (number.fault != GoInteger::Fault::None) {
            call.fail(fmt::format("the number \"{}\" is not supported", value.text()));
        }
        return number.value;
    }
    if (!value.is(GoKind::Float)) {
        return value.is_integer() || value.is(GoKind::Bool) ? value.whole() : 0;
    }
    if (!(std::abs(value.real()) < kTwoTo63)) {
        call.fail("its number is too large");
        return 0;
    }
    return static_cast<std::int64_t>(value.real());
}

}  // namespace renderer::engines
