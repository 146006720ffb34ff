// Fleet builds a kustomization in memory, below a root with an empty name. In the bundle's own
// directory, kustomize's load restrictor then rejects files of subdirectories (`security; file
// 'a/b.yaml' is not in or below ''`), and the bundle fails on every cluster; directories with their
// own kustomizations work. The renderer's output does not have such files, but sources may. Source:
// Fleet internal/helmdeployer/kustomize/kustomize.go, kustomize kyaml/filesys/confirmeddir.go
// HasPrefix; seen with Fleet 0.9 to 0.16.
#pragma once

#include "renderer/engines/kustomize/kustomization.h"

namespace renderer::engines {

// Warns if the kustomization in the bundle's own directory lists files of subdirectories.
void warn_of_subdirectories(const repo::SourceTree& tree, const Kustomization& kustomization,
                            Diagnostics& diagnostics);

}  // namespace renderer::engines
