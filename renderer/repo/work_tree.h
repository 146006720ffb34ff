// Is a work tree what its last commit says? `commit` renders the commit and would otherwise leave
// out what the user sees on the disk. Reads only: neither files nor the index are refreshed.
#pragma once

#include <string>

#include "renderer/core/result.h"

namespace renderer {

// Changes of tracked files count wherever they are (a kustomization may name any), new files only
// below the path. A bare repository is always clean.
Result<Unit> check_clean(const std::string& path);

}  // namespace renderer
