// A revision of a Git repository as a source tree: `render --rev`. Paths are those that the user
// typed, as for the disk: they mean the same place, as it was at the revision. The work tree and
// the index are not looked at, so a path need not exist any more. Files have the bytes that a
// checkout of the revision would have: line ends by its .gitattributes, LFS objects where they are
// at hand. core.autocrlf is not asked: it is a matter of one machine, and the same revision has the
// same bytes on all. A path outside of the repository (`--values /etc/values.yaml`) is read from
// the disk if the user typed it. Refused by name: submodules, filters that are programs, links that
// leave the repository.
//
//   Result<std::shared_ptr<const GitTree>> tree = GitTree::open("apps", "origin/main");
//   options.tree = *tree;                // LoadOptions: everything is read from there
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "renderer/repo/source_tree.h"

namespace renderer {

class GitTree : public SourceTree {
public:
    // `path`: any path in the repository, usually the one to render. `named` files and `dirs` are
    // what the user typed, and all that is read outside of it. Errors have no place in a file.
    static Result<std::shared_ptr<const GitTree>> open(const std::string& path,
                                                       const std::string& revision,
                                                       const std::vector<std::string>& named = {},
                                                       std::vector<std::string> dirs = {});
    ~GitTree() override;

    Result<std::string> read(const std::string& path) const override;
    Result<std::vector<Entry>> list(const std::string& dir) const override;
    EntryKind kind(const std::string& path) const override;
    std::string real_path(const std::string& path) const override;

    // The id of the commit in full.
    [[nodiscard]] const std::string& commit() const;
    // The path from the top of the repository, "" for the top itself.
    [[nodiscard]] std::string path_in_repository(const std::string& path) const;

private:
    struct State;
    explicit GitTree(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace renderer
