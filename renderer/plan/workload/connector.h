// Connectors: devices that route the tailnet to networks beyond it. Source: tailscale v1.96.5
// cmd/k8s-operator/connector.go and its CRD. Refuses what the CRD or the operator refuses, and a
// Connector without replicas, for which the operator leaves one pod that crashes in a loop.
#pragma once

#include "renderer/classify/classify.h"
#include "renderer/plan/proxy_inputs.h"
#include "renderer/plan/workload/workload.h"

namespace renderer::plan {

// Returns the Connectors that are applied, in the order of their names.
std::vector<Workload> plan_connectors(const classify::Inventory& inventory,
                                      const ProxyInputs& inputs, Diagnostics& diagnostics);

}  // namespace renderer::plan
