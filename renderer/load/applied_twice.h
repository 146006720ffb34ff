// Objects that several units apply.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"

namespace renderer {

// One object is one device: of two that two units apply alike, and of one that lies in an included
// directory as well, the first counts; what is applied counts before what is kept. `file_of`: input
// file of each source, kNone for others.
void drop_applied_twice(const std::vector<InputFile>& files,
                        const std::vector<std::uint32_t>& file_of, Loaded& loaded);

}  // namespace renderer
