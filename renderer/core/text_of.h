// The text of a string; "" for every other kind of value and for one that is not there. For places
// where a wrong kind is someone else's to report.
#pragma once

#include <string_view>

#include "renderer/core/value.h"

namespace renderer {

inline std::string_view text_of(const Value& value) {
    return value.is_string() ? value.text() : std::string_view();
}

inline std::string_view text_of(const Value* value) {
    return value == nullptr ? std::string_view() : text_of(*value);
}

}  // namespace renderer
