#include "renderer/engines/kustomize/exposing_patch.h"

#include <fmt/format.h>
#include <regex.h>

#include <algorithm>

namespace renderer::engines {

namespace {

// Matches the whole text, as kustomize does. A pattern that does not compile counts as a match.
bool is_match(const std::string& pattern, std::string_view text) {
    if (pattern.empty() || pattern == text) {
        return true;
    }
    regex_t compiled;
    if (::regcomp(&compiled, fmt::format("^({})$", pattern).c_str(), REG_EXTENDED | REG_NOSUB) !=
        0) {
        return true;
    }
    const bool found = ::regexec(&compiled, std::string(text).c_str(), 0, nullptr, 0) == 0;
    ::regfree(&compiled);
    return found;
}

}  // namespace

bool is_exact_name(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-';
    });
}

bool ExposingPatch::is_public() const {
    return values.front().is_public();
}

std::string ExposingPatch::text() const {
    const std::size_t more = values.size() - 1;
    const std::string object = kind.empty() && name.empty()
                                   ? "all objects"
                                   : fmt::format("{}{}{}", kind.empty() ? "any kind" : kind,
                                                 name.empty() ? "" : "/", name);
    return fmt::format("{}{}, for {}", values.front().what,
                       more == 0 ? "" : fmt::format(", and {} more", more), object);
}

bool ExposingPatch::is_for(std::string_view kind_of, std::string_view name_of) const {
    return is_match(kind, kind_of) && is_match(name, name_of);
}

}  // namespace renderer::engines
