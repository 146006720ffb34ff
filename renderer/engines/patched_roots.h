// Roots of Flux whose objects are changed before they are applied: `flux bootstrap` is customized
// by patches in flux-system/kustomization.yaml, a FluxInstance by its own. Sources:
// https://fluxcd.io/flux/installation/configuration/boostrap-customization,
// https://fluxoperator.dev/docs/instance/customization.
#pragma once

#include <string>
#include <vector>

#include "renderer/core/result.h"
#include "renderer/core/source_map.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/kustomize/kustomization.h"
#include "renderer/engines/root_files.h"
#include "renderer/engines/unit_build.h"

namespace renderer::engines {

// Replaces Kustomizations that apply their own file, GitRepositories and FluxInstances by what the
// topmost kustomization that lists them makes of them. A FluxInstance may have several, one for
// each cluster; one that cannot be built is an error. Others that cannot be built stay as in their
// files: that is reported where their unit is built.
void take_patched_roots(GitOpsTree& repository, KustomizationReader& reader, RootFiles& files,
                        UnitBuilder& builder, Diagnostics& diagnostics);

// Returns the Kustomization and the source that the Flux Operator makes of an instance, with its
// patches. If none may change them, returns the source alone, or nothing if the tree has no other
// instance. `dir`: the directory that it applies. Fails if kustomize does.
Result<std::vector<EngineObject>> patched_sync(const GitOpsTree& repository, SourceMap& sources,
                                               UnitBuilder& builder, const EngineObject& instance,
                                               const std::string& dir);

}  // namespace renderer::engines
