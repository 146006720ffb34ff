#include "runtime/base/json_items.h"

#include <utility>

#include "renderer/core/json.h"

namespace runtime::inline base {

namespace {

constexpr std::size_t kLongest = std::size_t{8} << 20U;  // bytes of an item, and of the rest
constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kBeginning = "\"items\":[";
constexpr int kItems = 2;  // depth between two items

}  // namespace

void JsonItems::take(std::string_view bytes) {
    for (const char byte : bytes) {
        if (has_failed_) {
            return;
        }
        take(byte);
    }
}

void JsonItems::take(char byte) {
    if (is_in_items_ && depth_ == kItems && byte != '{') {
        return take_between(byte);
    }
    std::string& text = is_in_items_ ? item_ : rest_;
    if (!is_in_string_ && kSpace.find(byte) != std::string_view::npos) {
        return;
    }
    text += byte;
    if (text.size() > kLongest) {
        return fail();
    }
    if (is_in_string_) {
        is_in_string_ = byte != '"' || is_escaped_;
        is_escaped_ = byte == '\\' && !is_escaped_;
    } else if (byte == '"') {
        is_in_string_ = true;
    } else if (byte == '{' || byte == '[') {
        ++depth_;
        is_in_items_ = is_in_items_ || (depth_ == kItems && rest_.ends_with(kBeginning));
    } else if (byte == '}' || byte == ']') {
        --depth_;
        if (is_in_items_ && depth_ == kItems) {
            finish_item();
        }
    }
}

void JsonItems::take_between(char byte) {
    if (byte == ']') {
        is_in_items_ = false;
        --depth_;
        rest_ += byte;
    } else if (byte != ',' && kSpace.find(byte) == std::string_view::npos) {
        fail();
    }
}

void JsonItems::finish_item() {
    auto item = renderer::read_json_within_limits(item_);
    item_.clear();
    if (!item) {
        return fail();
    }
    on_item_(std::move(*item));
}

void JsonItems::fail() {
    has_failed_ = true;
    rest_.clear();
}

}  // namespace runtime::inline base
