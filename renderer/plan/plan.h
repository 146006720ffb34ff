// Stage 3: inventory -> which objects will exist, and their names. All policy is here: settings,
// names, hostnames, tags, targets, every cross-check. The generators only spell what is in the
// Plan. Sources of the rules: tailscale v1.96.5 cmd/k8s-operator/{svc,ingress,sts,operator}.go and
// its Helm chart.
#pragma once

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/model.h"

namespace renderer::plan {

Plan plan(const load::Loaded& loaded, const classify::Inventory& inventory,
          Diagnostics& diagnostics);

}  // namespace renderer::plan
