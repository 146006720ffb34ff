// Replaces remote entries of a kustomization by local copies, which `--source` gives.
#pragma once

#include <string>

#include "renderer/core/value.h"
#include "renderer/engines/flux/local_sources.h"
#include "renderer/repo/source_tree.h"

namespace renderer::engines {

// Replaces remote entries of the kustomization `root` by paths of local files and directories, and
// remote patches by their text. `dir`: the directory of the kustomization. Returns true if it
// changed anything.
bool use_local_copies(const repo::SourceTree& tree, const LocalSources& local,
                      const std::string& dir, Value& root);

}  // namespace renderer::engines
