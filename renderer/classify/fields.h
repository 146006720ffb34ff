// Reads fields of a Kubernetes object. A field that is null or of the wrong type counts as absent;
// the schema (renderer/schema) has reported it by then.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"

namespace renderer::classify {

inline Pos known_or(Pos pos, Pos other) {
    return pos.known() ? pos : other;
}

// A text with its position. If absent, "" without a position.
struct TextInput {
    std::string_view text;
    Pos pos;
};

// An environment variable that the user sets on a container.
struct EnvInput {
    std::string_view name, value;
    Pos pos;  // of the name
};

template <typename Enum, std::size_t N>
using Choices = std::array<std::pair<std::string_view, Enum>, N>;

template <typename Enum, std::size_t N>
std::optional<Enum> choose(std::string_view text, const Choices<Enum, N>& choices) {
    for (const auto& [name, enumerator] : choices) {
        if (text == name) {
            return enumerator;
        }
    }
    return std::nullopt;
}

// The fields of one map of the object.
class Fields {
public:
    explicit Fields(const Value* map) : map_(map != nullptr && map->is_map() ? map : nullptr) {}

    [[nodiscard]] bool exists() const { return map_ != nullptr; }
    // nullptr when absent or null.
    [[nodiscard]] const Value* any(std::string_view key) const;
    [[nodiscard]] const Value* map(std::string_view key) const;
    [[nodiscard]] const Value* list(std::string_view key) const;
    [[nodiscard]] const Value* text_value(std::string_view key) const;
    [[nodiscard]] std::string_view text(std::string_view key) const;  // "" when absent
    [[nodiscard]] std::optional<TextInput> placed(std::string_view key) const;
    [[nodiscard]] std::optional<std::int64_t> number(std::string_view key) const;
    [[nodiscard]] bool flag(std::string_view key) const;  // false when absent
    [[nodiscard]] std::vector<TextInput> texts(std::string_view key) const;
    [[nodiscard]] std::vector<EnvInput> env(std::string_view key) const;
    [[nodiscard]] Pos pos(std::string_view key) const;

    // Returns the enumerator of a closed choice.
    template <typename Enum, std::size_t N>
    Enum choice(std::string_view key, const Choices<Enum, N>& choices, Enum fallback) const {
        return choose(text(key), choices).value_or(fallback);
    }

private:
    const Value* map_;
};

}  // namespace renderer::classify
