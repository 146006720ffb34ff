// Which files Fleet's reader would put into a bundle. Source: Fleet internal/bundlereader.
#pragma once

#include <string>
#include <vector>

#include "renderer/repo/paths.h"
#include "renderer/repo/source_tree.h"
#include "renderer/repo/walk.h"

namespace renderer {

using DirList = std::vector<const WalkedDir*>;

struct BundleFile {
    const WalkedDir* dir = nullptr;
    std::string name;
    std::string relative;  // to the bundle

    [[nodiscard]] std::string path() const { return join_path(dir->path, name); }
};

// For every directory the nearest one, itself or above, that has a fleet.yaml; nullptr: none has.
// `dirs`: as walk_tree returns them.
std::vector<const WalkedDir*> bundle_roots(const std::vector<WalkedDir>& dirs);

// `dirs`: the bundle's directory and all below, nested bundles left out. Its fleet.yaml and values
// files count; what `.fleetignore` names does not.
std::vector<BundleFile> bundle_files(const SourceTree& tree, const DirList& dirs);

}  // namespace renderer
