// ProxyGroups of type kube-apiserver: what the pods run and whose rights they use, and the
// Tailscale Service under which the tailnet reaches the Kubernetes API. Source: tailscale v1.96.5
// cmd/k8s-operator/{proxygroup,api-server-proxy-pg}.go.
#pragma once

#include "renderer/plan/plan.h"
#include "renderer/plan/proxy.h"

namespace renderer {

// Changes what differs from groups of the other types.
void fill_api_group(const ProxyGroupInput& input, const ProxyInputs& inputs, ProxyGroupPlan& group);

// Adds its Tailscale Service to the plan. Reports an account that does not exist.
void plan_api_service(const ProxyGroupInput& input, const ProxyGroupPlan& group,
                      const ProxyInputs& inputs, Plan& plan, Diagnostics& diagnostics);

}  // namespace renderer
