// Argo CD ApplicationSets -> Applications, as far as the tree says them: generators `list`, `git`
// (directories and files of this repository), `matrix` of these, and `clusters`, as far as they are
// known. Source: argo-cd applicationset/generators, applicationset/utils/utils.go.
#pragma once

#include <string>
#include <vector>

#include "renderer/load/roots/gitops_tree.h"

namespace renderer {

struct ExpandedSet {
    std::vector<EngineObject> applications;
    std::string unresolved;  // why there may be others; "" when there are none
};

ExpandedSet expand_application_set(const GitOpsTree& repository, const EngineObject& set);

}  // namespace renderer
