// Is a tree part of a Git work tree, and which of its files does Git leave out? Reads `.gitignore`
// files only: neither the index nor the ignore files of a user or a clone are known here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/repo/source_tree.h"

namespace renderer {

class GitIgnores {
public:
    GitIgnores(const SourceTree& tree, const std::string& root);

    // False: nothing is known to be committed.
    [[nodiscard]] bool is_work_tree() const { return inside_; }
    // Where the root is in the work tree, "" for its top.
    [[nodiscard]] const std::string& prefix() const { return prefix_; }
    // `relative`: a file's path relative to the root that was given.
    [[nodiscard]] bool ignores(std::string_view relative) const;

private:
    struct Pattern {
        std::string text;
        bool negated = false, only_dirs = false, anchored = false;
    };
    [[nodiscard]] std::vector<Pattern> patterns_in(const std::string& dir) const;

    const SourceTree& tree_;
    bool inside_ = false;
    std::string top_, prefix_;
};

}  // namespace renderer
