// Finds Kustomizations of Flux that are never applied, because what they wait for is never ready.
// Source: fluxcd/kustomize-controller internal/controller/kustomization_controller.go
// (checkDependencies): of one source, each dependency must have applied the same revision.
#pragma once

#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"

namespace renderer::engines {

// Sets `unmet` of these units. `skips_kept`: --skip-suspended. If it is not known what all units
// create, only typos in names count as names of nothing.
void find_unmet(const GitOpsTree& repository, bool skips_kept, std::vector<BuildUnit>& units);

}  // namespace renderer::engines
