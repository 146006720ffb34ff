// Reads small files that others replace while the process runs: tokens and credentials.
#pragma once

#include <string>

#include "renderer/core/result.h"

namespace runtime::inline base {

// Returns the directory of the path, or `.` if the path has none.
std::string folder_of(const std::string& path);

// Returns the content of the file without white space at either end.
renderer::Result<std::string> read_trimmed(const std::string& path);

}  // namespace runtime::inline base
