// Splits text at a character.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace renderer::inline base {

// Returns the text before `end` and removes both from `rest`; returns all of it if `end` is
// missing.
inline std::string_view take(std::string_view& rest, char end) {
    const std::size_t at = std::min(rest.find(end), rest.size());
    const std::string_view head = rest.substr(0, at);
    rest.remove_prefix(std::min(at + 1, rest.size()));
    return head;
}

// An empty part after the last separator is left out.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        parts.push_back(take(text, separator));
    }
    return parts;
}

}  // namespace renderer::inline base
