// Refuses what the API server, the schema of the CRD and the operator refuse in a ProxyGroup alone.
// Sources: tailscale v1.96.5 k8s-operator/apis/v1alpha1/types_proxygroup.go,
// cmd/k8s-operator/proxygroup.go (validate).
#pragma once

#include "renderer/core/diagnostics.h"
#include "renderer/plan/class/proxy_class_plan.h"
#include "renderer/plan/group/proxy_group_input.h"

namespace renderer::plan {

void check_object(const ProxyGroupInput& group, Diagnostics& diagnostics);

// Checks the names of the Services that a class adds to a group: the one for metrics, and one for
// each pod with static endpoints.
void check_service_names(const ProxyGroupInput& group, const ProxyClassPlan& chosen,
                         Diagnostics& diagnostics);

}  // namespace renderer::plan
