#include "renderer/schema/expected.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace renderer::schema {

std::string_view expected_of(Builtin builtin) {
    constexpr std::array<std::string_view, 14> kTexts = {"anything",
                                                         "a map",
                                                         "a string",
                                                         "an integer",
                                                         "an integer",
                                                         "a number",
                                                         "a boolean",
                                                         "an integer or a string",
                                                         "a quantity, such as \"100m\" or \"1Gi\"",
                                                         "base64",
                                                         "a time, such as \"2026-01-02T15:04:05Z\"",
                                                         "a map",
                                                         "a list",
                                                         "a map"};
    return kTexts[static_cast<std::size_t>(builtin)];
}

std::string choices_of(const Limits& limits) {
    return fmt::format("one of {{ {} }}", fmt::join(limits.choices, ", "));
}

std::string expected_of(const ValueType& type) {
    return type.limits != nullptr && !type.limits->choices.empty()
               ? choices_of(*type.limits)
               : std::string(expected_of(type.builtin));
}

}  // namespace renderer::schema
