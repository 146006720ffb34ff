// A branch to commit to: its tip, whether it is ours, and how it is moved. A kill at any point
// leaves either the old or the new commit, and nothing that stops the next run. A branch is never
// moved to a commit that does not follow the old one.
#pragma once

#include <optional>
#include <string>

#include "renderer/core/result.h"
#include "renderer/git/git.h"

namespace renderer::emit {

struct BranchMove {
    std::string branch = {};           // without refs/heads/
    std::optional<git_oid> from = {};  // none: the branch must not exist
    git_oid to{};
    std::string reason = {};  // for the reflog
};

// Refuses names that Git does not allow, branches that are checked out in a work tree, and symbolic
// references. Returns nothing if the branch does not exist.
Result<std::optional<git_oid>> branch_tip(git_repository* repository, const std::string& branch);

// Returns the tip of the remote-tracking branch of this name, if there is exactly one.
std::optional<git_oid> tracked_tip(git_repository* repository, const std::string& branch);

// Compare and swap: fails if the branch is no longer at `from`.
Result<Unit> move_branch(git_repository* repository, const git_signature* who,
                         const BranchMove& move);

// Returns the committer: user.name and user.email, or tailrender if they are not set.
Result<git::GitSignature> committer(git_repository* repository);

}  // namespace renderer::emit
