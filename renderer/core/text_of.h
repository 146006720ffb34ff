// Returns the text of a string, or "" for a missing value or another kind. items_of and members_of
// do the same for lists and maps. For callers that leave it to others to report a wrong kind.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "renderer/core/value.h"

namespace renderer::inline core {

inline std::string_view text_of(const Value& value) {
    return value.is_string() ? value.text() : std::string_view();
}

inline std::string_view text_of(const Value* value) {
    return value == nullptr ? std::string_view() : text_of(*value);
}

// Looks the value up by a path of keys.
inline std::string_view text_of(const Value& root, std::initializer_list<std::string_view> path) {
    return text_of(root.at(path));
}

// Also takes a number, as spelled in its document.
inline std::string_view scalar_text(const Value& value) {
    return value.is_string() || value.is_number() ? value.text() : std::string_view();
}

inline std::string_view scalar_text(const Value* value) {
    return value == nullptr ? std::string_view() : scalar_text(*value);
}

// Also takes a bool.
inline std::string_view spelling_of(const Value& value) {
    return value.is_bool() ? (value.as_bool() ? "true" : "false") : scalar_text(value);
}

inline std::string_view spelling_of(const Value* value) {
    return value == nullptr ? std::string_view() : spelling_of(*value);
}

inline std::span<const Value> items_of(const Value* value) {
    return value != nullptr && value->is_list() ? value->items() : std::span<const Value>();
}

inline std::span<const Member> members_of(const Value* value) {
    return value != nullptr && value->is_map() ? value->members() : std::span<const Member>();
}

}  // namespace renderer::inline core
