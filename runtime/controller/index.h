// Names of objects by a text that they have, so that one is found among thousands without a look at
// all. An object without the text is not in it.
#pragma once

#include <map>
#include <ranges>
#include <string_view>

#include "runtime/base/text.h"

namespace runtime {

class Index {
public:
    void add(std::string_view key, std::string_view name) {
        if (!key.empty()) {
            names_.emplace(key, name);
        }
    }
    void remove(std::string_view key, std::string_view name) {
        const auto [first, last] = names_.equal_range(key);
        for (auto entry = first; entry != last; ++entry) {
            if (entry->second == name) {
                names_.erase(entry);
                return;
            }
        }
    }
    // Ends with the next change.
    [[nodiscard]] auto find(std::string_view key) const {
        const auto [first, last] = names_.equal_range(key);
        return std::ranges::subrange(first, last) | std::views::values;
    }
    [[nodiscard]] bool empty() const { return names_.empty(); }

private:
    std::multimap<Text, Text, std::less<>> names_;
};

}  // namespace runtime
