// Finds inputs and objects of engines in files and directories whose names begin with a dot. Flux,
// Argo CD and people apply such files; tailrender does not read them, since most are settings of
// other programs.
#pragma once

#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/includes.h"
#include "renderer/engines/select/select_build.h"

namespace renderer::engines {

// Refuses inputs in such files that a unit applies, and warns of others in such directories, unless
// the user includes or ignores them. If `are_applied` is false (liveness.h), objects of engines in
// them are refused: they may apply only a part of the tree.
void report_hidden_files(const SelectContext& context, const GitOpsTree& repository,
                         const std::vector<BuildUnit>& units, const UnitChoice& choice,
                         bool are_applied);

}  // namespace renderer::engines
