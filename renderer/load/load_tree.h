// `load` over any tree, so that tests need no disk.
#pragma once

#include "renderer/load/load.h"
#include "renderer/load/source_tree.h"

namespace renderer {

Loaded load_tree(const SourceTree& tree, LoadOptions options, Diagnostics& diagnostics);

}  // namespace renderer
