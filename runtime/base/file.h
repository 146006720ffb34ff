// Small files that someone else replaces while we run: tokens, credentials.
#pragma once

#include <string>

#include "renderer/core/result.h"

namespace runtime {

// The whole file without white space at either end.
renderer::Result<std::string> read_trimmed(const std::string& path);

}  // namespace runtime
