#include "renderer/core/implicit_key.h"

#include <algorithm>

namespace renderer::inline core {

namespace {

constexpr std::string_view kBlanks = " \t\r";

bool blank_at(std::string_view line, std::size_t at) {
    return at >= line.size() || kBlanks.find(line[at]) != std::string_view::npos;
}

std::string_view without_properties(std::string_view line) {
    while (line.starts_with('&') || line.starts_with('!')) {
        line.remove_prefix(std::min(line.find_first_of(kBlanks), line.size()));
        line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    }
    return line;
}

}  // namespace

bool begins_with_implicit_key(std::string_view text) {
    const std::string_view line = without_properties(text.substr(0, text.find('\n')));
    const bool quoted = line.starts_with('"') || line.starts_with('\'');
    for (std::size_t i = quoted ? quoted_size(line) : 0; i < line.size(); ++i) {
        if (line[i] == ':' && blank_at(line, i + 1)) {
            return true;
        }
        if (line[i] == '#' && i > 0 && blank_at(line, i - 1)) {
            return false;
        }
    }
    return false;
}

std::size_t quoted_size(std::string_view text) {
    const char quote = text.front();
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (quote == '"' && text[i] == '\\') {
            ++i;
        } else if (text[i] == quote) {
            if (quote == '"' || !text.substr(i + 1).starts_with(quote)) {
                return i + 1;
            }
            ++i;
        }
    }
    return std::string_view::npos;
}

}  // namespace renderer::inline core
