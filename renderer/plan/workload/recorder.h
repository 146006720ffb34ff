// Recorders: each is a StatefulSet with the name of the Recorder. Source of the rules: tailscale
// v1.96.5 cmd/k8s-operator/{tsrecorder,tsrecorder_specs}.go and the CRD's own.
#pragma once

#include <vector>

#include "renderer/classify/custom_resource.h"
#include "renderer/core/diagnostics.h"

namespace renderer::classify {
struct Inventory;
}

namespace renderer::plan {

struct ProxyInputs;
struct Workload;

// Returns the recorders, sorted by name. Refuses what the operator refuses, and names that
// Kubernetes would refuse or that another object in the namespace has.
std::vector<Workload> plan_recorders(const classify::Inventory& inventory,
                                     const ProxyInputs& inputs, Diagnostics& diagnostics);

}  // namespace renderer::plan
