// Expands ResourceSets among the documents into further documents.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/load_options.h"

namespace renderer::load {

// Does nothing unless sources are applied as they are. `file_of` is what read_documents returned. A
// set that may expose something and cannot be expanded is a warning.
void add_resource_sets(const repo::SourceTree& tree, engines::Selection& selection,
                       const std::vector<std::uint32_t>& file_of, const repo::LoadOptions& options,
                       Loaded& loaded, Diagnostics& diagnostics);

}  // namespace renderer::load
