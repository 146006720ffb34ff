// Expands Argo CD ApplicationSets into Applications, as far as the tree determines them. Source:
// argo-cd applicationset/controllers/template.
#pragma once

#include <string>
#include <vector>

#include "renderer/engines/argo/set_git.h"
#include "renderer/engines/gitops_tree.h"

namespace renderer::engines {

struct ExpandedSet {
    std::vector<EngineObject> applications;
    std::string unresolved;  // why there may be others; "" if there are not
};

// Reads parameter files once for all sets.
class ApplicationSets {
public:
    explicit ApplicationSets(const GitOpsTree& repository)
        : repository_(repository), files_(repository) {}

    ExpandedSet expand(const EngineObject& set);

private:
    const GitOpsTree& repository_;
    ParameterFiles files_;
};

}  // namespace renderer::engines
