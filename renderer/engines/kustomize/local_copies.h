// Remote entries of a kustomization whose files are at hand: `--source`.
#pragma once

#include <string>

#include "renderer/core/value.h"
#include "renderer/engines/flux/local_sources.h"
#include "renderer/repo/source_tree.h"

namespace renderer {

// Names the local files and directories in place of remote ones; patches become part of it. `dir`:
// where it is. True: something has changed.
bool use_local_copies(const SourceTree& tree, const LocalSources& local, const std::string& dir,
                      Value& root);

}  // namespace renderer
