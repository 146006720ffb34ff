// A branch as a place to commit to: where it stands, whether it is ours, and how it is moved so
// that a kill at any point leaves either the old or the new commit and nothing that stops the next
// run. Never moves a branch to a commit that does not follow the old one.
#pragma once

#include <optional>
#include <string>

#include "renderer/core/result.h"
#include "renderer/git/git.h"

namespace renderer {

struct BranchMove {
    std::string branch = {};           // without refs/heads/
    std::optional<git_oid> from = {};  // none: there must be no such branch
    git_oid to{};
    std::string reason = {};  // for the reflog
};

// Refuses names that Git does not take, branches that are checked out in some work tree, symbolic
// references. No value: there is no such branch.
Result<std::optional<git_oid>> branch_tip(git_repository* repository, const std::string& branch);

// The tip of the only remote-tracking branch of this name, if there is one.
std::optional<git_oid> tracked_tip(git_repository* repository, const std::string& branch);

// Compare and swap. Fails when the branch is not at `from` any more.
Result<Unit> move_branch(git_repository* repository, const git_signature* who,
                         const BranchMove& move);

// Who commits: user.name and user.email, or tailrender where no one set them.
Result<GitSignature> committer(git_repository* repository);

}  // namespace renderer
