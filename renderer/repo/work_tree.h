// Checks that a work tree has no uncommitted changes. `tailrender commit` renders the last commit,
// and would silently leave out changes on the disk. Nothing is written, not even the index.
#pragma once

#include <string>

#include "renderer/core/result.h"

namespace renderer::repo {

// Fails if a tracked file was changed anywhere in the work tree (a kustomization may name any
// file), or a new file is below the path. A bare repository is always clean.
Result<Unit> check_clean(const std::string& path);

}  // namespace renderer::repo
