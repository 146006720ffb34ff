// What `kustomize build` would read: the kustomization of a directory, and every file that it names
// in any field, followed through other kustomizations. More than kustomize reads is no harm.
#pragma once

#include <set>
#include <string>

#include "renderer/load/kustomize/kustomization.h"

namespace renderer {

struct BuildFiles {
    std::set<std::string> paths = {};  // as the tree knows them
    bool mentions_tailscale = false;   // in any byte of them
    bool leaves_root = false;          // a path is outside of the root, or is a link
};

// Nothing outside of `root` is opened.
BuildFiles find_build_files(const SourceTree& tree, KustomizationReader& reader,
                            const std::string& root, const std::string& dir);

}  // namespace renderer
