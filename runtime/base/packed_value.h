// A tree at rest: its JSON text, which takes a third of the tree's memory, for trees of which
// thousands are kept and few are looked at.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "renderer/core/json.h"
#include "runtime/base/text.h"

namespace runtime {

class PackedValue {
public:
    PackedValue() = default;  // null
    explicit PackedValue(const renderer::Value& value)
        : text_(value.is_null() ? std::string() : renderer::write_json(value)) {}

    [[nodiscard]] renderer::Value unpack() const {
        return text_.empty() ? renderer::Value() : std::move(*renderer::read_json(text_));
    }
    // False: no string in it is this word, of letters and digits. Costs little.
    [[nodiscard]] bool may_say(std::string_view word) const {
        return text_.view().find(word) != std::string_view::npos;
    }

    // The order of members counts.
    bool operator==(const PackedValue&) const = default;

private:
    Text text_;
};

}  // namespace runtime
