// The branch in another repository: read before a commit, pushed to after it. Writes no references
// of this repository, never rewrites history of the remote, and keeps the passwords in URLs out of
// messages.
#pragma once

#include <optional>
#include <string>

#include "renderer/git/git.h"

namespace renderer::emit {

// Fetches the branch and returns its tip, or nothing if it does not exist there. `remote` is the
// name of a configured remote, a URL or a path.
Result<std::optional<git_oid>> fetch_tip(git_repository* repository, const std::string& remote,
                                         const std::string& branch);

Result<Unit> push_branch(git_repository* repository, const std::string& remote,
                         const std::string& branch);

}  // namespace renderer::emit
