// Determines whether a tree is in a Git work tree, and which of its files Git ignores, by the
// patterns of libgit2. Reads only `.gitignore` files, not the index or the ignore files of a user
// or a clone.
#pragma once

#include <string>
#include <string_view>

#include "renderer/git/git.h"
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
    [[nodiscard]] bool decides(const std::string& text, const std::string& path,
                               bool ignored) const;
    [[nodiscard]] bool is_excluded(const std::string& path) const;

    const repo::SourceTree& tree_;
    bool inside_ = false;
    git::GitRepository repository_ = git::empty_repository();  // has the patterns
    std::string top_, prefix_;
};

}  // namespace renderer::lint
