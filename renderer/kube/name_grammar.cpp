#include "renderer/kube/name_grammar.h"

#include <algorithm>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/base/split.h"

namespace renderer::inline kube {

bool is_name_of(std::string_view text, bool (*alphanumeric)(char), std::string_view inner) {
    return !text.empty() && alphanumeric(text.front()) && alphanumeric(text.back()) &&
           std::ranges::all_of(text, [&](char c) {
               return alphanumeric(c) || inner.find(c) != std::string_view::npos;
           });
}

bool is_dotted_name(std::string_view text, std::size_t max_part) {
    bool is_good = !text.empty() && !text.ends_with('.');
    while (is_good && !text.empty()) {
        const std::string_view part = take(text, '.');
        is_good = part.size() <= max_part && is_name_of(part, is_lower_or_digit, "-");
    }
    return is_good;
}

bool is_dns1123_label(std::string_view text) {
    return text.size() <= kMaxLabel && is_name_of(text, is_lower_or_digit, "-");
}

bool is_dns1123_subdomain(std::string_view text) {
    return text.size() <= kMaxSubdomain && is_dotted_name(text);
}

bool is_qualified_name(std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::string_view name = slash == std::string_view::npos ? text : text.substr(slash + 1);
    return (slash == std::string_view::npos || is_dns1123_subdomain(text.substr(0, slash))) &&
           name.size() <= kMaxLabel && is_name_of(name, is_alphanumeric, "-_.");
}

bool is_subresource(std::string_view text) {
    const std::vector<std::string_view> parts = split(text, '/');
    return parts.size() == 2 && std::ranges::all_of(parts, [](std::string_view part) {
               return is_name_of(part, is_alphanumeric, "-.");
           });
}

}  // namespace renderer::inline kube
