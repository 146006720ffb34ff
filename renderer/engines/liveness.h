// What is known of whether an engine applies a unit, and what follows from it. Every stage that
// wants to know asks here.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/standing.h"

namespace renderer {

Liveness liveness_of(const BuildUnit& unit);

// For people: "live", "other cluster".
std::string_view word_of(UnitState state);

// It has content of this tree.
bool has_content(const BuildUnit& unit);

// False: nothing of the tree is applied by someone, so all of it is rendered. What is broken or not
// known may apply something. A chart that is a root applies itself, which is nothing yet.
bool are_applied(const std::vector<BuildUnit>& units);

// What it exposes belongs into the output. `skips_kept`: --skip-suspended.
bool is_rendered(const BuildUnit& unit, bool skips_kept);

std::vector<Standing> standings_of(const std::vector<BuildUnit>& units);

// Of the roots of Flux that are called by their clusters.
// `others`: those that this run does not render.
std::set<std::string> clusters_of(const std::vector<BuildUnit>& units, bool others);

// The unit with those above it, and the cluster of a root of Flux.
std::string unit_path_of(const std::vector<BuildUnit>& units, const BuildUnit& unit);

// Keeps a unit that was to be applied.
void keep(BuildUnit& unit, std::string reason);

}  // namespace renderer
