// What engines say of documents that have been read: which unit applies them, and which of them it
// is told to leave as they are in the cluster.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"

namespace renderer {

// Marks those documents, and those of units that are kept. With `skips_kept` it makes facts of them
// instead, with a warning for an input of ours. `file_of`: for each source the index of its file.
void mark_kept(const std::vector<InputFile>& files, const std::vector<std::uint32_t>& file_of,
               bool skips_kept, Loaded& loaded, Diagnostics& diagnostics);

// Which unit applies each source.
void note_units(const std::vector<InputFile>& files, const std::vector<std::uint32_t>& file_of,
                Loaded& loaded);

}  // namespace renderer
