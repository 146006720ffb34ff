#include "renderer/plan/workload/workload.h"

#include <fmt/format.h>

#include "renderer/base/check.h"
#include "renderer/contract/labels.h"
#include "renderer/kube/kinds.h"
#include "renderer/kube/server_url.h"

namespace renderer::plan {

const PodTraits& Workload::traits() const {
    const PodTraits* found = find_pods(origin.parent);
    CHECK(found != nullptr);
    return *found;
}

void Workload::add_parent_labels(bool with_namespace) {
    labels.emplace_back(label::kManaged, "true");
    labels.emplace_back(label::kParent, parent_name);
    if (with_namespace) {
        labels.emplace_back(label::kParentNamespace, parent_ns);
    }
    labels.emplace_back(label::kParentType, std::string_view(traits().parent_type));
}

void Workload::claim(std::initializer_list<std::string_view> kinds,
                     const std::string& object_name) {
    for (const std::string_view kind : kinds) {
        claims.push_back({kind, object_name, origin.pos});
    }
}

std::string Workload::pod(std::size_t ordinal) const {
    return fmt::format("{}-{}", name, ordinal);
}

bool is_public(const Workload& workload) {
    const auto* proxy = workload.as<ProxyPlan>();
    return workload.traits().public_by != "" && (proxy == nullptr || proxy->funnel);
}

bool is_relay(const Workload& workload) {
    return workload.as<PeerRelayPlan>() != nullptr;
}

bool is_api_group(const Workload& workload) {
    const auto* group = workload.as<ProxyGroupPlan>();
    return group != nullptr && group->serves_api();
}

bool runs_k8s_proxy(const Workload& workload) {
    return is_api_group(workload) && workload.dataplane == Dataplane::Containerboot;
}

Value labels_of(const Workload& workload) {
    Value labels = Value::map();
    for (const auto& [key, value] : workload.labels) {
        labels.add(Value::borrowed(key), value);
    }
    return labels;
}

std::string_view spelled_server(const Release& release, std::string_view server_url) {
    return server_url.empty() && release.has(Trait::DefaultServerUrl) ? kDefaultServer : server_url;
}

}  // namespace renderer::plan
