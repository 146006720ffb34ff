// Argo CD ApplicationSets -> Applications, as far as the tree says them. Source: argo-cd
// applicationset/controllers/template.
#pragma once

#include <string>
#include <vector>

#include "renderer/engines/argo/set_git.h"
#include "renderer/engines/gitops_tree.h"

namespace renderer {

struct ExpandedSet {
    std::vector<EngineObject> applications;
    std::string unresolved;  // why there may be others; "" when there are none
};

// Files of parameters are read once for all sets.
class ApplicationSets {
public:
    explicit ApplicationSets(const GitOpsTree& repository)
        : repository_(repository), files_(repository) {}

    ExpandedSet expand(const EngineObject& set);

private:
    const GitOpsTree& repository_;
    ParameterFiles files_;
};

}  // namespace renderer
