// Finds the source files of Services that kustomize or helm printed: only the file can be edited,
// not the printed text.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/source_tree.h"

namespace renderer::load {

// Adds an entry to `built` for each input file that a program or a ResourceSet made. `file_of` is
// the index of each source's input file, or kNone.
void find_built(const repo::SourceTree& tree, const std::vector<engines::InputFile>& files,
                const std::vector<std::uint32_t>& file_of, Loaded& loaded);

}  // namespace renderer::load
