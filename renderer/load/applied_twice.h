// Drops repeated copies of objects that several units apply.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"

namespace renderer::load {

// One object is one device. If several units apply an equal object of one file, or an included
// directory also has the object, the first copy counts. Applied objects come before kept ones and
// replace them; those of included directories come last. `file_of` is the index of each source's
// input file, kNone for other sources.
void drop_applied_twice(const std::vector<engines::InputFile>& files,
                        const std::vector<std::uint32_t>& file_of, Loaded& loaded);

}  // namespace renderer::load
