// Finds charts that may make objects of engines for this tree: charts of others, such as
// argocd-apps, flux2-sync or one that takes any objects, whose values have the path of a directory.
#pragma once

#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"

namespace renderer::engines {

// Adds a unit that is not known for each such chart that clusters apply, if the directory has
// inputs that no unit applies.
void add_charts_with_paths(GitOpsTree& repository, std::vector<BuildUnit>& units);

}  // namespace renderer::engines
