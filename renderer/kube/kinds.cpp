#include "renderer/kube/kinds.h"

#include <fmt/format.h>

namespace renderer::inline kube {

std::string Kind::crd_name() const {
    return fmt::format("{}.{}", plural, group());
}

const Kind* find_kind(std::string_view name) {
    const auto* found = std::ranges::find(kKinds, name, &Kind::name);
    return found == kKinds.end() ? nullptr : found;
}

bool is_cluster_scoped(std::string_view api_version, std::string_view kind) {
    const Kind* found = find_kind(kind);
    return found != nullptr && found->group() == group_of(api_version) &&
           found->scope == Scope::Cluster;
}

}  // namespace renderer::inline kube
