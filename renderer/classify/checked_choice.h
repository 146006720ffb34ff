// Closed choices of Kubernetes' own kinds, for which the schemas do not list the values. An unknown
// value is a fault of the object; an empty text counts as absent.
#pragma once

#include <string_view>
#include <vector>

#include "renderer/classify/fields.h"
#include "renderer/core/diagnostics.h"

namespace renderer::classify {

Diagnostic unknown_choice(const TextInput& found, std::string_view path,
                          const std::vector<std::string_view>& names);

template <typename Enum, std::size_t N>
Enum checked_choice(const TextInput& found, std::string_view path, const Choices<Enum, N>& choices,
                    Enum fallback, std::vector<Diagnostic>& faults) {
    const std::optional<Enum> chosen = choose(found.text, choices);
    if (!chosen) {
        std::vector<std::string_view> names;
        for (const auto& [name, enumerator] : choices) {
            names.push_back(name);
        }
        faults.push_back(unknown_choice(found, path, names));
    }
    return chosen.value_or(fallback);
}

template <typename Enum, std::size_t N>
Enum checked_choice(const Fields& fields, std::string_view key, std::string_view path,
                    const Choices<Enum, N>& choices, Enum fallback,
                    std::vector<Diagnostic>& faults) {
    const TextInput found = fields.placed(key).value_or(TextInput());
    return found.text.empty() ? fallback : checked_choice(found, path, choices, fallback, faults);
}

}  // namespace renderer::classify
