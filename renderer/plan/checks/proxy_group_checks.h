// What the API server, the schema of the CRD and the operator refuse of a ProxyGroup by itself.
// Sources: tailscale v1.96.5 k8s-operator/apis/v1alpha1/types_proxygroup.go,
// cmd/k8s-operator/proxygroup.go (validate).
#pragma once

#include "renderer/core/diagnostics.h"
#include "renderer/plan/class/proxy_class_plan.h"
#include "renderer/plan/group/proxy_group_input.h"

namespace renderer {

void check_object(const ProxyGroupInput& group, Diagnostics& diagnostics);

// Of the Services that a class makes for a group: that of its metrics, and one for each pod with
// static endpoints.
void check_service_names(const ProxyGroupInput& group, const ProxyClassPlan& chosen,
                         Diagnostics& diagnostics);

}  // namespace renderer
