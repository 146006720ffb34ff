// What `kustomize build` would read: the kustomization of a directory, and every file that it names
// in any field, followed through other kustomizations. More than kustomize reads is no harm.
#pragma once

#include <set>
#include <string>

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

}  // namespace renderer
