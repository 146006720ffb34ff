// The files that Fleet's reader would put into a bundle. Source: Fleet internal/bundlereader.
#pragma once

#include <string>
#include <vector>

#include "renderer/repo/paths.h"
#include "renderer/repo/source_tree.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

using DirList = std::vector<const repo::WalkedDir*>;

struct BundleFile {
    const repo::WalkedDir* dir = nullptr;
    std::string name;
    std::string relative;  // path relative to the bundle

    [[nodiscard]] std::string path() const { return repo::join_path(dir->path, name); }
};

// Returns for every directory the nearest one, itself or a parent, that has a fleet.yaml, or
// nullptr. `dirs`: as walk_tree returns them.
std::vector<const repo::WalkedDir*> bundle_roots(const std::vector<repo::WalkedDir>& dirs);

// Returns the files of a bundle, including its fleet.yaml and values files, without those that
// match a `.fleetignore`. `dirs`: the bundle's directory and all below, without nested bundles.
std::vector<BundleFile> bundle_files(const repo::SourceTree& tree, const DirList& dirs);

}  // namespace renderer::engines
