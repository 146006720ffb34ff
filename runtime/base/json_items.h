// A JSON object with a long list `items`, as it comes: each item is handed on as soon as it is
// whole, so that no more than one of them is in memory.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "renderer/core/value.h"

namespace runtime {

class JsonItems {
public:
    // For objects only: anything else among the items is an error.
    explicit JsonItems(std::function<void(renderer::Value)> on_item)
        : on_item_(std::move(on_item)) {}

    void take(std::string_view bytes);
    // Everything but the items. Not JSON: it is not whole, or an item could not be read.
    [[nodiscard]] const std::string& rest() const { return rest_; }

private:
    void take(char byte);
    void take_between(char byte);
    void finish_item();
    void fail();

    std::function<void(renderer::Value)> on_item_;
    std::string rest_, item_;
    int depth_ = 0;  // brackets that are open
    bool is_in_items_ = false;
    bool is_in_string_ = false;
    bool is_escaped_ = false;
    bool has_failed_ = false;
};

}  // namespace runtime
