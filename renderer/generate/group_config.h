// The texts that the pods of a group read: tailscaled's configuration of each replica and what an
// egress group forwards. JSON, byte for byte as the reference writes it. Source: tailscale v1.96.5
// cmd/k8s-operator/{proxygroup,egress-services}.go, kube/egressservices.
#pragma once

#include <string>

#include "renderer/plan/plan.h"

namespace renderer {

std::string group_config(const ProxyGroupPlan& group, std::size_t ordinal);

// Of the fields that a running tailscaled does not take over; the same for all replicas.
std::string group_config_hash(const ProxyGroupPlan& group);

// Of the members of the group; "" when it has none.
std::string egress_services(const ProxyGroupPlan& group, const Plan& plan);

}  // namespace renderer
