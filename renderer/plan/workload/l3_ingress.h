// A Service on the tailnet: one proxy that forwards every port of its address. Source: tailscale
// v1.96.5 cmd/k8s-operator/svc.go. Unlike the operator, a Service without a pinned clusterIP is
// targeted by its DNS name: its address is not known before it is in a cluster.
#pragma once

#include "renderer/plan/proxy_inputs.h"
#include "renderer/plan/workload/workload.h"

namespace renderer {

// Also after an error, so that later checks see all names.
Workload plan_l3_ingress(const ServiceInput& service, const ProxyInputs& inputs,
                         Diagnostics& diagnostics);

}  // namespace renderer
