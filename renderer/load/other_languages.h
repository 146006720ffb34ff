// Files that make objects in languages which no one here executes: Jsonnet, HCL, CUE, and the
// pipelines of Kargo. What they expose is not rendered.
#pragma once

#include <string>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/source_tree.h"
#include "renderer/repo/walk.h"

namespace renderer {

// Those that mention Tailscale, by their names.
std::vector<std::string> files_in_other_languages(const SourceTree& tree,
                                                  const std::vector<WalkedDir>& dirs);

// One warning for all of `files`, and for Kargo's objects among the documents.
void warn_other_languages(std::vector<std::string> files, const Loaded& loaded,
                          Diagnostics& diagnostics);

}  // namespace renderer
