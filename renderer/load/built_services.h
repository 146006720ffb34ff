// Where a Service that kustomize printed comes from: what a program has printed cannot be edited.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/source_tree.h"

namespace renderer {

// Adds an entry to `built` for each file with a text. `file_of`: for every source the index of its
// file, or kNone.
void find_built(const SourceTree& tree, const std::vector<InputFile>& files,
                const std::vector<std::uint32_t>& file_of, Loaded& loaded);

}  // namespace renderer
