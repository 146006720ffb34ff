#include "renderer/plan/workload/workload.h"

#include <fmt/format.h>

#include "renderer/kube/server_url.h"

namespace renderer::plan {

std::string Workload::pod(std::size_t ordinal) const {
    return fmt::format("{}-{}", name, ordinal);
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
