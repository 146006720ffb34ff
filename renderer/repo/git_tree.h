// A revision of a Git repository as a source tree: `render --rev`. Paths are those that the user
// typed, as for the disk, and name the file as it was at the revision. The work tree and the index
// are not read, so a path need not exist there any more. Files have the bytes that a checkout of
// the revision would have: line endings by its .gitattributes, LFS objects if they were fetched.
// core.autocrlf is ignored: it is a setting of one machine, and a revision must have the same bytes
// on all machines. A path outside of the repository (`--values /etc/values.yaml`) is read from the
// disk if the user typed it. Submodules, filters that run a program, and links that leave the
// repository are errors that name the path.
//
//   Result<std::shared_ptr<const GitTree>> tree = GitTree::open("apps", "origin/main");
//   options.tree = *tree;                // LoadOptions: all files are read from this tree
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "renderer/repo/source_tree.h"

namespace renderer::repo {

class GitTree : public SourceTree {
public:
    // `path`: any path in the repository, usually the one to render. `named` files and `dirs` are
    // paths that the user typed; nothing else is read outside of the repository. Errors have no
    // position in a file.
    static Result<std::shared_ptr<const GitTree>> open(const std::string& path,
                                                       const std::string& revision,
                                                       const std::vector<std::string>& named = {},
                                                       std::vector<std::string> dirs = {});
    ~GitTree() override;

    Result<std::string> read(const std::string& path) const override;
    Result<std::vector<Entry>> list(const std::string& dir) const override;
    EntryKind kind(const std::string& path) const override;
    std::string real_path(const std::string& path) const override;

    // The full id of the commit.
    [[nodiscard]] const std::string& commit() const;
    // Returns the path relative to the top of the repository, "" for the top itself.
    [[nodiscard]] std::string path_in_repository(const std::string& path) const;

private:
    struct State;
    explicit GitTree(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace renderer::repo
