// The files of a unit: which kustomizations it builds, which manifests it applies as they are, and
// all files involved. Source: fluxcd/pkg kustomize/kustomize_generator.go, argo-cd
// reposerver/repository/repository.go (findManifests).
#pragma once

#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/kustomize/kustomization.h"

namespace renderer::engines {

// Fills in `builds`, `manifests` and `claims`.
void find_content(const GitOpsTree& repository, KustomizationReader& reader, BuildUnit& unit);

}  // namespace renderer::engines
