// A Service on the tailnet: one proxy that forwards every port of its address. Source: tailscale
// v1.96.5 cmd/k8s-operator/svc.go. Unlike in the operator, the target of a Service without a pinned
// clusterIP is its DNS name, because its address is only known in the cluster.
#pragma once

#include "renderer/plan/proxy_inputs.h"
#include "renderer/plan/workload/workload.h"

namespace renderer::plan {

// Returns a workload even after an error, so that later checks see all names.
Workload plan_l3_ingress(const classify::ServiceInput& service, const ProxyInputs& inputs,
                         Diagnostics& diagnostics);

}  // namespace renderer::plan
