// Makes completion scripts for bash, zsh and fish. They complete verbs, flags, the values of flags
// with a fixed set of values, files and directories.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/cli/options.h"

namespace renderer::cli {

// `shell` is one of bash, zsh, fish.
std::string completion_script(std::string_view shell, const std::vector<VerbInfo>& verbs);

}  // namespace renderer::cli
