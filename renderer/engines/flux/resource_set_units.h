// What ResourceSets make that makes engines apply more.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"

namespace renderer {

constexpr int kDeepestSet = 4;  // that a set makes
constexpr std::string_view kTooDeep = "what a set makes that several sets above it make";

// The units of the objects of engines that a set makes, and one for what is not known of them.
// `units_of`: of one of these objects. `depth`: of the sets that make this one.
std::vector<BuildUnit> units_of_resource_set(
    const EngineObject& set,
    const std::function<std::vector<BuildUnit>(const EngineObject&)>& units_of, int depth = 0);

}  // namespace renderer
