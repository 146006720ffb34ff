#include "renderer/kube/kinds.h"

#include <fmt/format.h>

#include "renderer/core/document.h"

namespace renderer::inline kube {

std::string Kind::crd_name() const {
    return fmt::format("{}.{}", plural, group());
}

const Kind* find_kind(std::string_view name) {
    const auto* found = std::ranges::find(kKinds, name, &Kind::name);
    return found == kKinds.end() ? nullptr : found;
}

const Kind* find_kind_in(std::string_view object) {
    return find_kind(object.substr(0, object.find('/')));
}

const PodTraits* find_pods(std::string_view object) {
    const Kind* kind = find_kind_in(object);
    return kind == nullptr || !kind->role.pods ? nullptr : &*kind->role.pods;
}

std::string parent_in_labels(std::string_view type, std::string_view ns, std::string_view name) {
    const auto* kind = std::ranges::find_if(kKinds, [type](const Kind& one) {
        return one.role.pods && !type.empty() && one.role.pods->parent_type == type;
    });
    return kind == kKinds.end()
               ? std::string()
               : object_name(kind->name, kind->scope == Scope::Namespaced ? ns : "", name);
}

bool is_cluster_scoped(std::string_view api_version, std::string_view kind) {
    const Kind* found = find_kind(kind);
    return found != nullptr && found->group() == group_of(api_version) &&
           found->scope == Scope::Cluster;
}

}  // namespace renderer::inline kube
