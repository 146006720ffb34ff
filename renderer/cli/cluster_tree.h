// Makes, from a run, the tree that `diff` compares.
#pragma once

#include <vector>

#include "renderer/diff/compare.h"
#include "renderer/pipeline.h"

namespace renderer::cli {

diff::ClusterTree cluster_tree(const Run& run, std::vector<emit::OutputFile> files);
// Makes the files, too. `threads` 0 means one per core.
Result<diff::ClusterTree> cluster_tree(const Run& run, unsigned threads);

}  // namespace renderer::cli
