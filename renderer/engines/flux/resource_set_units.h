// Units of ResourceSets whose objects make engines apply more.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"

namespace renderer::engines {

constexpr int kDeepestSet = 4;  // nesting of sets that generate sets
constexpr std::string_view kTooDeep = "what a set makes that several sets above it make";

// Returns the units of the engine objects that a set generates, and one more if not all of its
// objects are known. `providers`: the input providers of the tree. `units_of`: returns the units of
// one object. `depth`: number of sets above this one.
std::vector<BuildUnit> units_of_resource_set(
    const EngineObject& set, const std::vector<const Value*>& providers,
    const std::function<std::vector<BuildUnit>(const EngineObject&)>& units_of, int depth = 0);

}  // namespace renderer::engines
