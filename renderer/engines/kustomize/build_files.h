// What `kustomize build` would read: the kustomization of a directory, and every file that it names
// in any field, followed through other kustomizations. More than kustomize reads is no harm.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "renderer/engines/kustomize/kustomization.h"

namespace renderer {

struct BuildFiles {
    std::set<std::string> paths = {};  // as the tree knows them
    bool mentions_tailscale = false;   // in any byte of them
    // A path is absolute, leads out of the root, or is a link: a copy is not what kustomize reads.
    bool leaves_root = false;
};

// Nothing outside of `root`, a normal path, is opened, and no rendered tree in it.
BuildFiles find_build_files(const SourceTree& tree, KustomizationReader& reader,
                            const std::string& root, const std::string& dir);

// Where the kustomization of a directory, or one that it is made of, has charts that helm renders;
// unknown: nowhere. Flux runs kustomize without `--enable-helm`, and so applies nothing of it.
// Source: fluxcd/pkg kustomize/kustomize_generator.go (Build).
Pos find_helm_charts(const SourceTree& tree, KustomizationReader& reader, const std::string& dir);

inline constexpr std::string_view kFluxHasNoHelm =
    "charts in a kustomization, for which Flux runs no helm";

}  // namespace renderer
