// Ingresses and Services that the tailnet reaches through an ingress group. They get no pod of
// their own: each is a Tailscale Service that all replicas of the group offer. Source: tailscale
// v1.96.5 cmd/k8s-operator/{ingress-for-pg,svc-for-pg}.go. Refuses on top what the operator passes
// over silently: a group that does not exist, a Service that has no cluster IP.
#pragma once

#include <vector>

#include "renderer/plan/group/proxy_group.h"
#include "renderer/plan/parents.h"
#include "renderer/plan/proxy_inputs.h"

namespace renderer {

std::vector<OfferedService> plan_ingress_members(const Parents& parents, const GroupIndex& groups,
                                                 const ProxyInputs& inputs,
                                                 Diagnostics& diagnostics);

// "shop.tail1234.ts.net", for a Tailscale Service of the group. Reports when the tailnet's domain
// is not known, and a name that is too long; then the result is empty.
std::string service_dns_name(const ParentInput& parent, const ProxyGroupInput& group,
                             const std::string& hostname, Pos pos, const Settings& settings,
                             Diagnostics& diagnostics);

}  // namespace renderer
