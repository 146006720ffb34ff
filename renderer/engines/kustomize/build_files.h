// Finds the files that `kustomize build` would read: the kustomization of a directory, and every
// file that any field of it names, also through other kustomizations. The result may have more
// files than kustomize reads.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "renderer/engines/kustomize/kustomization.h"

namespace renderer::engines {

struct BuildFiles {
    std::set<std::string> paths = {};  // paths of the tree
    bool mentions_tailscale = false;   // anywhere in them
    // True if a path is absolute, is outside of the root, or is a symbolic link, so that kustomize
    // would read other files than those of a copy.
    bool leaves_root = false;
};

// Opens no files outside of `root`, and no rendered trees in it. `root` must be a normal path.
BuildFiles find_build_files(const repo::SourceTree& tree, KustomizationReader& reader,
                            const std::string& root, const std::string& dir);

// Returns where the kustomization of a directory, or one that it includes, has a chart for helm, or
// an unknown position if there is none. Flux runs kustomize without `--enable-helm`, so the
// build fails and Flux applies nothing of it. Source: fluxcd/pkg kustomize/kustomize_generator.go
// (Build).
Pos find_helm_charts(const repo::SourceTree& tree, KustomizationReader& reader,
                     const std::string& dir);

inline constexpr std::string_view kFluxHasNoHelm =
    "charts in a kustomization, for which Flux runs no helm";

}  // namespace renderer::engines
