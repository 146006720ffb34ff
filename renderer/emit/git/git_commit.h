// A rendered tree as a commit of a branch: the writer behind `commit`. Work tree and index are not
// touched, files that are the same are not written, what the branch holds besides is left alone.
// Objects come first, then the branch is moved in one step (git_branch.h), so a killed run leaves
// at most objects that nothing names. The message says what the tree was made from, and a branch
// whose last commit does not say so, or whose tree is another one than it says, is not ours: it is
// refused.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "renderer/emit/emit.h"
#include "renderer/git/git.h"

namespace renderer {

struct CommitRequest {
    std::string branch = {};
    std::optional<git_oid> tip = {};  // where the branch stands; none: there is no such branch
    std::optional<git_oid> base =
        {};                 // what the commit follows: the tip, or a newer one of a remote
    git_oid source{};       // the commit that was rendered
    std::string path = {};  // what of it, from the top of the repository
};

struct CommitReport {
    std::optional<git_oid> commit;   // none: nothing changed
    std::vector<WriteReport> trees;  // one per tree
};

// The folder of `-o` inside a branch: normal, "" for the top.
Result<std::string> branch_folder(const std::string& output);

// A newer commit of a remote goes before the branch of this repository; two that do not follow each
// other are an error.
Result<std::optional<git_oid>> commit_base(git_repository* repository, const std::string& branch,
                                           std::optional<git_oid> local,
                                           std::optional<git_oid> remote);

// What the branch holds of clusters that are not among `clusters`; `root` is a folder of it with
// one directory per cluster.
Result<std::vector<RenderedTree>> find_gone_trees(git_repository* repository,
                                                  const CommitRequest& request,
                                                  const std::string& root,
                                                  std::span<const std::string> clusters);

// As earlier_inventory and earlier_files of emit.h, of a directory of the branch.
Result<TreeInventory> earlier_inventory(git_repository* repository, const CommitRequest& request,
                                        const std::string& dir);
Result<std::vector<OutputFile>> earlier_files(git_repository* repository,
                                              const CommitRequest& request, const std::string& dir,
                                              const TreeInventory& inventory);

Result<CommitReport> commit_trees(git_repository* repository, const CommitRequest& request,
                                  std::span<const RenderedTree> trees);

}  // namespace renderer
