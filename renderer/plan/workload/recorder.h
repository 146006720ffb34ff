// Recorders: a StatefulSet each, named like the Recorder itself. Source of the rules: tailscale
// v1.96.5 cmd/k8s-operator/{tsrecorder,tsrecorder_specs}.go and the CRD's own.
#pragma once

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/plan/plan.h"
#include "renderer/plan/proxy.h"

namespace renderer {

// Fills plan.recorders and adds their devices. Refuses what the operator refuses, and names that
// Kubernetes or someone else in the namespace could not live with.
void plan_recorders(const Inventory& inventory, const ProxyInputs& inputs, Plan& plan,
                    Diagnostics& diagnostics);

}  // namespace renderer
