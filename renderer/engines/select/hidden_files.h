// Finds inputs in files whose names begin with a dot. Flux and Argo CD apply such files; tailrender
// does not read them, since most are settings of other programs.
#pragma once

#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/includes.h"
#include "renderer/engines/select/select_build.h"

namespace renderer::engines {

// Refuses inputs in such files that a unit applies, unless the user ignores them.
void refuse_hidden_files(const SelectContext& context, const GitOpsTree& repository,
                         const std::vector<BuildUnit>& units, const UnitChoice& choice);

}  // namespace renderer::engines
