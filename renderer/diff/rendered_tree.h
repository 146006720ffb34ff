// Reads back what `render -o` wrote, from a directory or a revision of Git. Reads exactly the files
// that the inventory lists; other files there are ignored.
#pragma once

#include <string>
#include <vector>

#include "renderer/core/result.h"
#include "renderer/diff/compare.h"
#include "renderer/repo/source_tree.h"

namespace renderer::diff {

// Returns nothing if the directory is not a rendered tree. It is one if it contains an inventory,
// or if directories below it do and no manifest is beside them. Those are its clusters, each named
// by its path from the deepest directory that contains all of them.
Result<std::vector<ClusterTree>> read_rendered(const repo::SourceTree& tree,
                                               const std::string& dir);

// Returns the directories below `dir` that contain an inventory, as relative paths. Readers of
// sources skip them.
Result<std::vector<std::string>> rendered_below(const repo::SourceTree& tree,
                                                const std::string& dir);

}  // namespace renderer::diff
