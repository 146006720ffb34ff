// Services that target a device of the tailnet through an egress group. Each gets a ClusterIP
// Service whose target ports are ports of the group's pods, and a part of the group's ConfigMap.
// Only `spec.externalName` of the user's own Service changes. Source: tailscale v1.96.5
// cmd/k8s-operator/egress-services.go. It also refuses what cannot work there: SCTP, a port with
// the name of the health check, two Services with one key.
#pragma once

#include <vector>

#include "renderer/plan/group/proxy_group.h"
#include "renderer/plan/proxy_inputs.h"
#include "renderer/plan/workload/workload.h"

namespace renderer::plan {

struct EgressPlan {
    std::vector<EgressMember> members;           // sorted by (group, namespace, name)
    std::vector<load::LockedPort> locked_ports;  // assigned last, after all Services were planned
    std::vector<Edit> edits;                     // edits of the members
};

EgressPlan plan_egress_members(const std::vector<const classify::ServiceInput*>& services,
                               const GroupIndex& groups, const ProxyInputs& inputs,
                               Diagnostics& diagnostics);

// Lists the Services of each egress group in its target text.
void name_egress_members(const std::vector<EgressMember>& members,
                         std::vector<Workload>& workloads);

}  // namespace renderer::plan
