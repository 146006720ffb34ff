// A tree that has directories and files of other trees, too, each at a place where it has nothing
// itself. No listing shows them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "renderer/repo/source_tree.h"

namespace renderer {

class MountedTree : public SourceTree {
public:
    // `base` outlives it. `root`: its top, a normal path.
    MountedTree(const SourceTree& base, std::string root) : base_(base), root_(std::move(root)) {}

    // `place`: below the root. `target`: of `tree`; a file, or a directory with all below. Normal
    // paths.
    void mount(std::string place, std::string target, std::shared_ptr<const SourceTree> tree);

    [[nodiscard]] bool is_mounted(const std::string& path) const { return find(path) != nullptr; }

    Result<std::string> read(const std::string& path) const override;
    Result<std::vector<Entry>> list(const std::string& dir) const override;
    EntryKind kind(const std::string& path) const override;
    // Of what is mounted as if it were below the root; what a link there leads out to stays
    // outside.
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

}  // namespace renderer
