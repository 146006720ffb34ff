// Finds files that define objects in languages which tailrender does not execute: Jsonnet, HCL,
// CUE.
#pragma once

#include <string>
#include <vector>

#include "renderer/repo/source_tree.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

// Returns the names of those that mention Tailscale.
std::vector<std::string> files_in_other_languages(const repo::SourceTree& tree,
                                                  const std::vector<repo::WalkedDir>& dirs);

}  // namespace renderer::engines
