// Finds the names of objects by a text that they have, without a look at thousands of objects. An
// object without the text is not in the index.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "runtime/base/text.h"

namespace runtime::controller {

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
    // The names are valid until the next change.
    [[nodiscard]] std::vector<std::string_view> find(std::string_view key) const {
        std::vector<std::string_view> names;
        const auto [first, last] = names_.equal_range(key);
        for (auto entry = first; entry != last; ++entry) {
            names.push_back(entry->second);
        }
        return names;
    }
    [[nodiscard]] bool empty() const { return names_.empty(); }

private:
    std::multimap<Text, Text, std::less<>> names_;
};

}  // namespace runtime::controller
