// Notes what engines do with documents that have been read: which unit applies them, and which of
// them an engine is told to leave as they are in the cluster.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"

namespace renderer::load {

// Marks documents that an engine leaves as they are, and those of kept units. With `skips_kept`,
// documents that are marked themselves become facts instead, with a warning if one is an input.
// `file_of` is the index of each source's input file, or kNone.
void mark_kept(const std::vector<engines::InputFile>& files,
               const std::vector<std::uint32_t>& file_of, bool skips_kept, Loaded& loaded,
               Diagnostics& diagnostics);

// Sets the unit that applies each source.
void note_units(const std::vector<engines::InputFile>& files,
                const std::vector<std::uint32_t>& file_of, Loaded& loaded);

}  // namespace renderer::load
