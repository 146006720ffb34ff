// Spells what every ProxyGroup becomes, whatever its type: ServiceAccount, Role and RoleBinding, a
// config Secret for each replica, the StatefulSet. The types add their own variables and volumes,
// and their ConfigMap. Source of the shapes: tailscale v1.96.5
// cmd/k8s-operator/proxygroup_specs.go.
#pragma once

#include "renderer/generate/generate.h"

namespace renderer {

void generate_proxy_group(const Workload& workload, const ProxyGroupPlan& group, const Plan& plan,
                          Objects& objects);

// A rolling update goes on only when the new pod answers.
Value group_readiness_probe();

constexpr int kHealthPort = 9002;

}  // namespace renderer
