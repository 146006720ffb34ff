#include "renderer/kube/decoded_kinds.h"

#include <algorithm>
#include <array>

#include "renderer/contract/domain.h"

namespace renderer::inline kube {

bool is_workload_kind(std::string_view kind) {
    constexpr std::array<std::string_view, 7> kWorkloads = {
        "CronJob", "DaemonSet", "Deployment", "Job", "Pod", "ReplicaSet", "StatefulSet"};
    return std::ranges::find(kWorkloads, kind) != kWorkloads.end();
}

bool is_decoded_kind(std::string_view api_version, std::string_view kind) {
    constexpr std::array<std::string_view, 4> kDecoded = {"Ingress", "Namespace", "Node",
                                                          "Service"};
    return api_version.starts_with(kOperatorDomain) ||
           std::ranges::find(kDecoded, kind) != kDecoded.end();
}

}  // namespace renderer::inline kube
