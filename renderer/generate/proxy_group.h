// Spells what every ProxyGroup becomes, whatever its type: ServiceAccount, Role and RoleBinding, a
// config Secret for each replica, the StatefulSet. The types add their own variables and volumes,
// and their ConfigMap. Source of the shapes: tailscale v1.96.5
// cmd/k8s-operator/proxygroup_specs.go.
#pragma once

#include <string_view>

#include "renderer/generate/generate.h"

namespace renderer {

// The generator: egress groups so far.
void generate_proxy_group(const Plan& plan, Objects& objects);

Value group_metadata(const ProxyGroupPlan& group, std::string_view name);
Object group_object(const ProxyGroupPlan& group, Value root);

constexpr std::string_view kGroupGenerator = "proxy-group";
constexpr int kHealthPort = 9002;

}  // namespace renderer
