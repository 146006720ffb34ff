// Reads a JSON object with a long list `items` as it arrives. Each item is passed on as soon as it
// is complete, so that only one item is in memory at a time.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "renderer/core/value.h"

namespace runtime::inline base {

class JsonItems {
public:
    // `on_item` is called for each item. An item that is not an object is an error.
    explicit JsonItems(std::function<void(renderer::Value)> on_item)
        : on_item_(std::move(on_item)) {}

    void take(std::string_view bytes);
    // Returns everything but the items. It is not valid JSON if the object is incomplete or an item
    // could not be read.
    [[nodiscard]] const std::string& rest() const { return rest_; }

private:
    void take(char byte);
    void take_between(char byte);
    void finish_item();
    void fail();

    std::function<void(renderer::Value)> on_item_;
    std::string rest_, item_;
    int depth_ = 0;  // open brackets
    bool is_in_items_ = false;
    bool is_in_string_ = false;
    bool is_escaped_ = false;
    bool has_failed_ = false;
};

}  // namespace runtime::inline base
