// Reads back what `render -o` wrote, wherever it is kept: a directory, or a revision of Git. Takes
// exactly the files that the inventory lists; what else lies there is none of ours.
#pragma once

#include <string>
#include <vector>

#include "renderer/core/result.h"
#include "renderer/diff/compare.h"
#include "renderer/repo/source_tree.h"

namespace renderer {

// None: the directory is no rendered tree. It is one if it holds an inventory, or if
// directories below it do and no manifest is beside them. Those are its clusters, each named by
// its path from the deepest directory that all of them are below.
Result<std::vector<ClusterTree>> read_rendered(const SourceTree& tree, const std::string& dir);

// The directories below `dir` that hold an inventory, as paths from there: what a reader of sources
// leaves out.
Result<std::vector<std::string>> rendered_below(const SourceTree& tree, const std::string& dir);

}  // namespace renderer
