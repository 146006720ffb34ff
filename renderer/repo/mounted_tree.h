// A tree with directories and files of other trees mounted in it, each at a path where the tree
// itself has nothing. Listings of the directories above do not show them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "renderer/repo/source_tree.h"

namespace renderer::repo {

class MountedTree : public SourceTree {
public:
    // `base` must outlive this tree. `root`: the top of `base`, a normal path.
    MountedTree(const SourceTree& base, std::string root) : base_(base), root_(std::move(root)) {}

    // Mounts `target`, a file of `tree` or a directory with everything below it, at `place` below
    // the root. Both are normal paths.
    void mount(std::string place, std::string target, std::shared_ptr<const SourceTree> tree);

    [[nodiscard]] bool is_mounted(const std::string& path) const { return find(path) != nullptr; }

    Result<std::string> read(const std::string& path) const override;
    Result<std::vector<Entry>> list(const std::string& dir) const override;
    EntryKind kind(const std::string& path) const override;
    // A mounted path resolves to a path below the root, unless a symbolic link leaves what is
    // mounted: then it resolves to the path outside.
    std::string real_path(const std::string& path) const override;

private:
    struct Mount {
        std::string place, target;
        std::shared_ptr<const SourceTree> tree;
    };

    [[nodiscard]] const Mount* find(const std::string& path) const;

    const SourceTree& base_;
    std::string root_;
    std::vector<Mount> mounts_;
};

}  // namespace renderer::repo
