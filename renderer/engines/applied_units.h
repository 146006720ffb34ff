// Determines what clusters apply of a tree: the objects of Flux and Argo CD that are applied by
// hand or by an installer (the roots), what these apply, and so on. The procedure:
//   1. Flux: the path of a FluxInstance; else each Kustomization in the directory that it applies;
//      else each Kustomization that no other one applies. If kustomizations list it, the topmost of
//      them is built, since that is what a cluster applies. A Kustomization of the second kind next
//      to a FluxInstance must not reach more inputs.
//   2. Argo CD: each Application and ApplicationSet that no unit applies.
//   3. Parents are built first, and children are read from the result.
// If this finds nothing, the tree has no units: everything in it is applied as it is.
#pragma once

#include <string>
#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/kustomize/kustomization.h"
#include "renderer/repo/load_options.h"

namespace renderer::engines {

// Returns the units, parents before children. Uses the options threads, kustomize, helm, cluster
// and includes. Nothing in a directory of `ignores` is a root.
std::vector<BuildUnit> applied_units(GitOpsTree& repository, KustomizationReader& reader,
                                     SourceMap& sources, const repo::LoadOptions& options,
                                     const std::vector<std::string>& ignores,
                                     Diagnostics& diagnostics);

}  // namespace renderer::engines
