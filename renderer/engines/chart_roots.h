// Charts in the tree whose templates make objects of Flux or Argo CD. One that no object applies is
// installed by hand, which makes it a root.
#pragma once

#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/kustomize/kustomization.h"

namespace renderer {

// A unit for each, installed with the values that it has. `file` of the unit is its Chart.yaml.
std::vector<BuildUnit> charts_of_engines(const GitOpsTree& repository, KustomizationReader& reader);

}  // namespace renderer
