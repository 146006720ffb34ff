// The Flux Kustomizations and Argo CD Applications of a tree, and what they say of the directories
// that they apply. They are read from their files as they stand: what a parent's build changes in
// them is not known. A directory that two of them treat differently is treated as if there were
// none.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "renderer/load/fleet/fleet_files.h"
#include "renderer/load/roots/build_unit.h"
#include "renderer/load/tree/source_tree.h"
#include "renderer/load/walk.h"

namespace renderer {

class Appliers {
public:
    // No directory has one.
    Appliers() = default;

    // `root`: the top of the repository, a normal path. Mistakes in the files are not said here.
    // `threads`: 0 = one per core.
    Appliers(const SourceTree& tree, const DirList& dirs, const std::string& root,
             SourceMap& sources, unsigned threads);

    // Who applies the kustomization of this directory, or the files in it that no kustomization
    // lists; nullptr: no one that is known.
    [[nodiscard]] const BuildUnit* of(const WalkedDir& dir) const;

    // No kustomization in the directory of the file or above it, as far as the tree goes.
    [[nodiscard]] bool is_loose(const std::string& file) const;

private:
    std::map<std::string, std::optional<BuildUnit>> units_;  // no value: they disagree
    std::map<std::string, const WalkedDir*> dirs_;
};

}  // namespace renderer
