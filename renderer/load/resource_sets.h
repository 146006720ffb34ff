// What ResourceSets among the documents make, as documents of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/load_options.h"

namespace renderer {

// Where sources are applied as they are. `file_of` as read_documents gives it. What is not known,
// and would expose something, is a warning.
void add_resource_sets(const SourceTree& tree, Selection& selection,
                       const std::vector<std::uint32_t>& file_of, const LoadOptions& options,
                       Loaded& loaded, Diagnostics& diagnostics);

}  // namespace renderer
