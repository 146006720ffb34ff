// The same branch in another repository: looked at before a commit, pushed to after it. No
// reference of this repository is written, history on the other side is never rewritten, and what a
// URL holds besides the place (a password) reaches no message.
#pragma once

#include <optional>
#include <string>

#include "renderer/git/git.h"

namespace renderer {

// Where the branch stands over there; its commits are here afterwards. No value: no such branch.
// `remote`: the name of a configured one, a URL or a path.
Result<std::optional<git_oid>> fetch_tip(git_repository* repository, const std::string& remote,
                                         const std::string& branch);

Result<Unit> push_branch(git_repository* repository, const std::string& remote,
                         const std::string& branch);

}  // namespace renderer
