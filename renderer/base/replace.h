// Replaces as Go's strings.ReplaceAll does: an empty `what` matches before each byte and at the
// end.
#pragma once

#include <string>
#include <string_view>

namespace renderer::inline base {

inline std::string replace_all(std::string_view value, std::string_view what, std::string_view by) {
    std::string result;
    if (what.empty()) {
        for (const char c : value) {
            result.append(by).push_back(c);
        }
        return result.append(by);
    }
    std::size_t from = 0;
    for (std::size_t at = value.find(what); at != std::string_view::npos;
         at = value.find(what, from)) {
        result.append(value.substr(from, at - from)).append(by);
        from = at + what.size();
    }
    return result.append(value.substr(from));
}

}  // namespace renderer::inline base
