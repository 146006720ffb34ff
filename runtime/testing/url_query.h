// Reads the part of a URL after the `?`, for fake servers.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace runtime {

inline std::string unescape_query(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            int byte = 0;
            std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16);
            out += static_cast<char>(byte);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

inline std::map<std::string, std::string> parse_query(std::string_view text) {
    std::map<std::string, std::string> query;
    while (!text.empty()) {
        const std::string_view pair = text.substr(0, text.find('&'));
        text.remove_prefix(std::min(text.size(), pair.size() + 1));
        const std::size_t equals = pair.find('=');
        query[std::string(pair.substr(0, equals))] = unescape_query(pair.substr(equals + 1));
    }
    return query;
}

// Returns the name in `fieldSelector=metadata.name=NAME`; empty: there is no such selector.
inline std::string selected_name(const std::map<std::string, std::string>& query) {
    const auto found = query.find("fieldSelector");
    return found == query.end() ? std::string() : found->second.substr(found->second.find('=') + 1);
}

}  // namespace runtime
