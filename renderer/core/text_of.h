// The text of a string; "" for every other kind of value and for one that is not there. So for the
// items of a list and the members of a map. For places where a wrong kind is someone else's to
// report.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "renderer/core/value.h"

namespace renderer {

inline std::string_view text_of(const Value& value) {
    return value.is_string() ? value.text() : std::string_view();
}

inline std::string_view text_of(const Value* value) {
    return value == nullptr ? std::string_view() : text_of(*value);
}

// At a path of keys.
inline std::string_view text_of(const Value& root, std::initializer_list<std::string_view> path) {
    return text_of(root.at(path));
}

// A number as its document spells it, too.
inline std::string_view scalar_text(const Value& value) {
    return value.is_string() || value.is_number() ? value.text() : std::string_view();
}

inline std::string_view scalar_text(const Value* value) {
    return value == nullptr ? std::string_view() : scalar_text(*value);
}

// A bool, too.
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

}  // namespace renderer
