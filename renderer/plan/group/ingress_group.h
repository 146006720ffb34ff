// Ingresses and Services that the tailnet reaches through an ingress group. They get no pods: each
// is a Tailscale Service that all replicas of the group serve. Source: tailscale v1.96.5
// cmd/k8s-operator/{ingress-for-pg,svc-for-pg}.go. It also refuses what the operator silently
// ignores: a group that does not exist, a Service that has no cluster IP.
#pragma once

#include <vector>

#include "renderer/plan/group/proxy_group.h"
#include "renderer/plan/parents.h"
#include "renderer/plan/proxy_inputs.h"

namespace renderer::plan {

std::vector<OfferedService> plan_ingress_members(const Parents& parents, const GroupIndex& groups,
                                                 const ProxyInputs& inputs,
                                                 Diagnostics& diagnostics);

// Returns "shop.tail1234.ts.net" for a Tailscale Service of the group. Reports a tailnet domain
// that is not known, and a name that is too long; the result is then empty.
std::string service_dns_name(const classify::ParentInput& parent, const ProxyGroupInput& group,
                             const std::string& hostname, Pos pos, const Settings& settings,
                             Diagnostics& diagnostics);

}  // namespace renderer::plan
