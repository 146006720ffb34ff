#include "renderer/kube/meant_version.h"

#include "renderer/base/ascii.h"
#include "renderer/core/edit_distance.h"
#include "renderer/kube/kinds.h"

namespace renderer::inline kube {

namespace {

constexpr std::size_t kMostEdits = 2;

bool is_near(std::string_view group, std::string_view meant) {
    return group != meant && group.size() + kMostEdits >= meant.size() &&
           group.size() <= meant.size() + kMostEdits &&
           edit_distance(lower_case(group), meant) <= kMostEdits;
}

bool is_of_no_custom_resource(std::string_view group) {
    return group.find('.') == std::string_view::npos || group.ends_with("k8s.io") ||
           group.ends_with("kubernetes.io");
}

bool is_of_group(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-';
}

}  // namespace

std::string_view meant_version(std::string_view api_version, std::string_view kind) {
    const Kind* input = find_kind(kind);
    if (input == nullptr || !(input->role.is_parent || input->is_custom())) {
        return {};
    }
    const std::string_view group = group_of(api_version);
    const std::string_view own = input->group();
    const bool is_meant = group != own && (is_of_no_custom_resource(group) || is_near(group, own) ||
                                           (input->is_custom() && group.ends_with(kCustomGroup)));
    return is_meant ? input->api_version : std::string_view();
}

bool is_near_custom_group(std::string_view group) {
    return is_near(group, kCustomGroup);
}

bool misspells_custom_group(std::string_view text) {
    constexpr std::size_t kLongest = kCustomGroup.size() + kMostEdits;
    for (std::size_t end = text.find('/'); end != std::string_view::npos;
         end = text.find('/', end + 1)) {
        std::size_t begin = end;
        while (begin > 0 && end - begin <= kLongest && is_of_group(text[begin - 1])) {
            --begin;
        }
        if (is_near_custom_group(text.substr(begin, end - begin))) {
            return true;
        }
    }
    return false;
}

}  // namespace renderer::inline kube
