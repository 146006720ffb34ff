#include "renderer/kube/meant_version.h"

#include "renderer/core/diagnostics.h"
#include "renderer/kube/kinds.h"

namespace renderer {

namespace {

constexpr std::string_view kKey = "apiVersion";

// The value of a key, without its quotes, of what stands behind the key.
std::string_view value_in(std::string_view rest) {
    const std::size_t begin = rest.find_first_not_of("\"': \t");
    if (begin == std::string_view::npos) {
        return {};
    }
    rest.remove_prefix(begin);
    return rest.substr(0, rest.find_first_of("\"', \t\r\n}"));
}

bool is_near(std::string_view group, std::string_view meant) {
    return group != meant && !nearest(group, {meant}).empty();
}

}  // namespace

std::string_view meant_version(std::string_view api_version, std::string_view kind) {
    const Kind* input = find_kind(kind);
    if (input == nullptr || !(input->is_parent || input->is_custom())) {
        return {};
    }
    const std::string_view group = group_of(api_version);
    const bool is_meant =
        input->group().empty() ? group == "core" : group.empty() || is_near(group, input->group());
    return is_meant ? input->api_version : std::string_view();
}

bool misspells_custom_group(std::string_view text) {
    for (std::size_t at = text.find(kKey); at != std::string_view::npos;
         at = text.find(kKey, at + kKey.size())) {
        if (is_near(group_of(value_in(text.substr(at + kKey.size(), 64))), kCustomGroup)) {
            return true;
        }
    }
    return false;
}

}  // namespace renderer
