// What ResourceSets among the documents make, as documents of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "renderer/load/inputs.h"
#include "renderer/load/load.h"
#include "renderer/load/roots/build_unit.h"
#include "renderer/load/roots/gitops_tree.h"

namespace renderer {

// Where sources are applied as they are. `file_of` as read_documents gives it. What is not known,
// and would expose something, is a warning.
void add_resource_sets(const SourceTree& tree, Selection& selection,
                       const std::vector<std::uint32_t>& file_of, const LoadOptions& options,
                       Loaded& loaded, Diagnostics& diagnostics);

// The units of the objects of engines that a set makes, and one for what is not known of them.
// `units_of`: of one of these objects. `depth`: of the sets that make this one.
std::vector<BuildUnit> units_of_resource_set(
    const EngineObject& set,
    const std::function<std::vector<BuildUnit>(const EngineObject&)>& units_of, int depth = 0);

}  // namespace renderer
