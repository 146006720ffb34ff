// Fleet builds a kustomization in memory, below a root whose name is empty. In the bundle's own
// directory kustomize's load restrictor then takes no file of a subdirectory as one below it
// (`security; file 'a/b.yaml' is not in or below ''`), and the bundle fails on every cluster;
// directories that have kustomizations of their own are fine. What is rendered has that shape;
// sources may not. Source: Fleet internal/helmdeployer/kustomize/kustomize.go, kustomize
// kyaml/filesys/confirmeddir.go HasPrefix; seen with Fleet 0.9 to 0.16.
#pragma once

#include "renderer/engines/kustomize/kustomization.h"

namespace renderer {

// `kustomization`: the one in the bundle's own directory.
void warn_of_subdirectories(const SourceTree& tree, const Kustomization& kustomization,
                            Diagnostics& diagnostics);

}  // namespace renderer
