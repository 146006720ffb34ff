// From a tree to what clusters apply of it: the objects of Flux and Argo CD that someone applies by
// hand or an installer does, what these apply, and so on. The decision procedure:
//   1. Flux: the path of a FluxInstance; else each Kustomization that lies in what it applies; else
//      each that no other applies; where kustomizations list it, as the topmost of them makes it,
//      which is what a cluster applies. One of the second sort beside a FluxInstance must not reach
//      more.
//   2. Argo CD: each Application and ApplicationSet that no unit applies.
//   3. Parents are built first, and children are read from what comes out.
// A tree where this reaches nothing has no units: everything in it is applied as it lies there.
#pragma once

#include <string>
#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/kustomize/kustomization.h"
#include "renderer/repo/load_options.h"

namespace renderer {

// Parents before children. Of the options threads, kustomize, helm,
// cluster and includes are asked. What lies in a directory of `ignores` is no root.
std::vector<BuildUnit> applied_units(GitOpsTree& repository, KustomizationReader& reader,
                                     SourceMap& sources, const LoadOptions& options,
                                     const std::vector<std::string>& ignores,
                                     Diagnostics& diagnostics);

}  // namespace renderer
