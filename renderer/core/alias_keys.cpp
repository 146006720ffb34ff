#include "renderer/core/alias_keys.h"

#include <algorithm>

#include "renderer/base/ascii.h"

namespace renderer::inline core {

namespace {

bool is_in(std::string_view set, std::string_view text, std::size_t at) {
    return set.find(text[at]) != std::string_view::npos;
}

}  // namespace

std::vector<AliasKey> find_alias_keys(std::string_view text) {
    std::vector<AliasKey> keys;
    for (std::size_t begin = text.find('*'); begin != std::string_view::npos;
         begin = text.find('*', begin + 1)) {
        std::size_t end = begin + 1;
        while (end < text.size() && (is_alphanumeric(text[end]) || is_in("-_", text, end))) {
            ++end;
        }
        const bool starts = begin == 0 || is_in(" \t\n{[,", text, begin - 1);
        const bool is_key = end < text.size() && text[end] == ':' &&
                            (end + 1 == text.size() || is_in(" \t\r\n", text, end + 1));
        if (starts && is_key && end > begin + 1) {
            keys.push_back({.begin = begin, .colon = end});
        }
    }
    return keys;
}

SpacedText::SpacedText(std::string_view text, const std::vector<AliasKey>& keys) : original_(text) {
    std::size_t copied = 0;
    for (const AliasKey& key : keys) {
        spaced_ += text.substr(copied, key.colon - copied);
        spaced_ += ' ';
        colons_.push_back(spaced_.size());
        copied = key.colon;
    }
    spaced_ += keys.empty() ? std::string_view() : text.substr(copied);
}

std::size_t SpacedText::original_offset(std::size_t offset) const {
    const auto behind = std::ranges::upper_bound(colons_, offset);
    return offset - static_cast<std::size_t>(behind - colons_.begin());
}

}  // namespace renderer::inline core
