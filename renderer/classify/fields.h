// Reads fields of a Kubernetes object as the API server would, for the decoders of this stage. A
// value of the wrong type becomes a fault of the object and counts as absent; null is absent.
// Unknown fields are none of our business.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"

namespace renderer {

using Faults = std::vector<Diagnostic>;

Diagnostic wrong_type(Pos pos, std::string_view path, std::string_view key, const Value& found,
                      std::string_view expected);

inline Pos known_or(Pos pos, Pos other) {
    return pos.known() ? pos : other;
}

// A text of a list, with its place.
struct TextInput {
    std::string_view text;
    Pos pos;
};

// One map of the object. `path` names it in messages ("spec.ports[]") and must be static.
class Fields {
public:
    Fields(const Value* map, std::string_view path, Faults& faults);

    [[nodiscard]] bool exists() const { return map_ != nullptr; }
    // nullptr when absent or null.
    [[nodiscard]] const Value* any(std::string_view key) const;
    [[nodiscard]] const Value* map(std::string_view key) const;
    [[nodiscard]] const Value* list(std::string_view key) const;
    [[nodiscard]] const Value* text_value(std::string_view key) const;
    [[nodiscard]] std::string_view text(std::string_view key) const;
    [[nodiscard]] std::int64_t number(std::string_view key) const;  // 0 when absent
    [[nodiscard]] bool flag(std::string_view key) const;            // false when absent
    [[nodiscard]] std::vector<TextInput> texts(std::string_view key) const;
    // A map whose values are strings; those that are not are faults, and the map stays.
    [[nodiscard]] const Value* text_map(std::string_view key) const;
    [[nodiscard]] Pos pos(std::string_view key) const;

    // The enumerator of a closed choice; `fallback` when absent or (a fault) not among them.
    template <typename Enum, std::size_t N>
    Enum choice(std::string_view key,
                const std::array<std::pair<std::string_view, Enum>, N>& choices,
                Enum fallback) const {
        const Value* value = text_value(key);
        if (value == nullptr || value->text().empty()) {
            return fallback;
        }
        return choose(*value, key, choices, fallback);
    }

    template <typename Enum, std::size_t N>
    Enum choose(const Value& value, std::string_view key,
                const std::array<std::pair<std::string_view, Enum>, N>& choices,
                Enum fallback) const {
        std::vector<std::string_view> names;
        for (const auto& [name, enumerator] : choices) {
            if (value.text() == name) {
                return enumerator;
            }
            names.push_back(name);
        }
        unknown_choice(value, key, names);
        return fallback;
    }

private:
    void unknown_choice(const Value& value, std::string_view key,
                        const std::vector<std::string_view>& names) const;

    const Value* map_;
    std::string_view path_;
    Faults& faults_;
};

}  // namespace renderer
