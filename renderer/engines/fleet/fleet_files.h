// The files that Fleet's reader would put into a bundle. Source: Fleet internal/bundlereader.
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
    std::string relative;  // path relative to the bundle

    [[nodiscard]] std::string path() const { return join_path(dir->path, name); }
};

// Returns for every directory the nearest one, itself or a parent, that has a fleet.yaml, or
// nullptr. `dirs`: as walk_tree returns them.
std::vector<const WalkedDir*> bundle_roots(const std::vector<WalkedDir>& dirs);

// Returns the files of a bundle, including its fleet.yaml and values files, without those that
// match a `.fleetignore`. `dirs`: the bundle's directory and all below, without nested bundles.
std::vector<BundleFile> bundle_files(const SourceTree& tree, const DirList& dirs);

}  // namespace renderer
