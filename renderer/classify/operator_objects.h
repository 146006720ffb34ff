// Recognises the operator's own objects among the inputs (its chart's stream or its static
// manifest) and reads its settings from the Deployment's env, as chart values. Source: tailscale
// v1.96.5 cmd/k8s-operator/deploy/chart/templates and deploy/manifests.
#pragma once

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"

namespace renderer::classify {

// Fills inventory.stock_operator. Its parts are not classified any further.
void classify_operator(const load::Loaded& loaded, Inventory& inventory, Diagnostics& diagnostics);

}  // namespace renderer::classify
