// Determines whether a tree is in a Git work tree, and which of its files Git ignores. Reads only
// `.gitignore` files, not the index or the ignore files of a user or a clone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/repo/source_tree.h"

namespace renderer::lint {

class GitIgnores {
public:
    GitIgnores(const repo::SourceTree& tree, const std::string& root);

    // False: it is unknown what is committed.
    [[nodiscard]] bool is_work_tree() const { return inside_; }
    // The path of the root in the work tree, "" for its top.
    [[nodiscard]] const std::string& prefix() const { return prefix_; }
    // `relative` is the path of a file, relative to the given root.
    [[nodiscard]] bool ignores(std::string_view relative) const;

private:
    struct Pattern {
        std::string text;
        bool negated = false, only_dirs = false, anchored = false;
    };
    [[nodiscard]] std::vector<Pattern> patterns_in(const std::string& dir) const;

    const repo::SourceTree& tree_;
    bool inside_ = false;
    std::string top_, prefix_;
};

}  // namespace renderer::lint
