// Writes a rendered tree as a commit of a branch, for `commit`. Does not touch the work tree or the
// index, writes no unchanged files, and keeps other files of the branch. Objects are written first,
// then the branch is moved in one step (git_branch.h), so a killed run leaves at most unreferenced
// objects. The message names the source of the tree and the tree itself. A branch whose last commit
// has no such message, or another tree than it names, is not ours and is refused.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "renderer/emit/emit.h"
#include "renderer/git/git.h"

namespace renderer::emit {

struct CommitRequest {
    std::string branch = {};
    std::optional<git_oid> tip = {};   // tip of the branch; none: it does not exist
    std::optional<git_oid> base = {};  // parent of the commit: the tip, or where a remote has it
    git_oid source{};                  // the commit that was rendered
    std::string path = {};             // the path that was rendered, from the top of the repository
};

struct CommitReport {
    std::optional<git_oid> commit;   // none if nothing changed
    std::vector<WriteReport> trees;  // one per tree
};

// Returns the directory of `-o` inside a branch: normalised, "" for the top.
Result<std::string> branch_folder(const std::string& output);

// Returns the trees on the branch for clusters that are not in `clusters`; `root` is a directory of
// the branch with one directory per cluster.
Result<std::vector<RenderedTree>> find_gone_trees(git_repository* repository,
                                                  const CommitRequest& request,
                                                  const std::string& root,
                                                  std::span<const std::string> clusters);

// Like earlier_inventory and earlier_files of emit.h, for a directory of the branch.
Result<repo::TreeInventory> earlier_inventory(git_repository* repository,
                                              const CommitRequest& request, const std::string& dir);
Result<std::vector<OutputFile>> earlier_files(git_repository* repository,
                                              const CommitRequest& request, const std::string& dir,
                                              const repo::TreeInventory& inventory);

Result<CommitReport> commit_trees(git_repository* repository, const CommitRequest& request,
                                  std::span<const RenderedTree> trees);

}  // namespace renderer::emit
