// Small files that someone else replaces while we run: tokens, credentials.
#pragma once

#include <string>

#include "renderer/core/result.h"

namespace runtime {

// The folder of the path, `.` where it names none.
std::string folder_of(const std::string& path);

// The whole file without white space at either end.
renderer::Result<std::string> read_trimmed(const std::string& path);

}  // namespace runtime
