// `load` over any tree, so that tests need no disk, and the tree that `load` takes.
#pragma once

#include <memory>

#include "renderer/load/load.h"
#include "renderer/load/tree/source_tree.h"

namespace renderer {

// The tree that the options name, or the disk.
std::shared_ptr<const SourceTree> source_tree(const LoadOptions& options);

Loaded load_tree(const SourceTree& tree, LoadOptions options, Diagnostics& diagnostics);

}  // namespace renderer
