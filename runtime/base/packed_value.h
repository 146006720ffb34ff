// A value tree stored as JSON text, which takes a third of the memory. It is for thousands of trees
// that are kept and seldom read.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "renderer/core/json.h"
#include "runtime/base/text.h"

namespace runtime::inline base {

class PackedValue {
public:
    PackedValue() = default;  // null
    explicit PackedValue(const renderer::Value& value)
        : text_(value.is_null() ? std::string() : renderer::write_json(value)) {}

    [[nodiscard]] renderer::Value unpack() const {
        return text_.empty() ? renderer::Value() : std::move(*renderer::read_json(text_));
    }
    // Returns false if no string in the tree contains `word`, which consists of letters and digits.
    // It does not parse the text.
    [[nodiscard]] bool may_say(std::string_view word) const {
        return text_.view().find(word) != std::string_view::npos;
    }

    // The order of members matters.
    bool operator==(const PackedValue&) const = default;

private:
    Text text_;
};

}  // namespace runtime::inline base
