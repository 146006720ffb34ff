// What only egress groups have: the ConfigMap that tells their pods what to forward, and one
// ClusterIP Service for each Service that leads through them. It selects the group's pods, so that
// Kubernetes itself keeps the endpoints. Source: tailscale v1.96.5
// cmd/k8s-operator/egress-services.go.
#pragma once

#include <string>

#include "renderer/generate/generate.h"

namespace renderer {

std::string egress_config_name(const ProxyGroupPlan& group);
Value egress_config_volume(const ProxyGroupPlan& group);
Value egress_config_map(const ProxyGroupPlan& group, const Plan& plan);
void append_egress_environment(Value& environment);
void append_egress_services(const Plan& plan, Objects& objects);

}  // namespace renderer
