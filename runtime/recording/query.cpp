#include "runtime/recording/query.h"

#include <algorithm>
#include <charconv>

namespace runtime::recording {

namespace {

std::optional<std::string> decode(std::string_view text, bool is_query) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            out.push_back(text[at] == '+' && is_query ? ' ' : text[at]);
            continue;
        }
        unsigned byte = 0;
        const char* begin = text.data() + at + 1;
        if (at + 2 >= text.size() || std::from_chars(begin, begin + 2, byte, 16).ptr != begin + 2) {
            return std::nullopt;
        }
        out.push_back(static_cast<char>(byte));
        at += 2;
    }
    return out;
}

}  // namespace

std::optional<std::string> path_of(std::string_view target) {
    return decode(target.substr(0, target.find('?')), false);
}

Query query_of(std::string_view target) {
    Query out;
    target.remove_prefix(std::min(target.find('?'), target.size()));
    while (!target.empty()) {
        target.remove_prefix(1);
        const std::size_t end = std::min(target.find('&'), target.size());
        const std::string_view pair = target.substr(0, end);
        target.remove_prefix(end);
        const std::size_t equals = std::min(pair.find('='), pair.size());
        auto name = decode(pair.substr(0, equals), true);
        auto value = decode(pair.substr(std::min(equals + 1, pair.size())), true);
        if (!pair.empty() && pair.find(';') == std::string_view::npos && name && value) {
            out.emplace_back(std::move(*name), std::move(*value));
        }
    }
    return out;
}

const std::string* first_of(const Query& query, std::string_view name) {
    const auto found =
        std::ranges::find_if(query, [&](const auto& pair) { return pair.first == name; });
    return found == query.end() ? nullptr : &found->second;
}

}  // namespace runtime::recording
