// Charts in the tree whose templates create objects of Flux or Argo CD. A chart that no object
// applies is installed by hand, so it is a root.
#pragma once

#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/kustomize/kustomization.h"

namespace renderer::engines {

// Returns a unit for each such chart, installed with its default values. `file` of the unit is its
// Chart.yaml.
std::vector<BuildUnit> charts_of_engines(const GitOpsTree& repository, KustomizationReader& reader);

}  // namespace renderer::engines
