// Decides whether an engine applies a unit, and what follows from that. Every stage asks here.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/flux/flux_revisions.h"
#include "renderer/engines/standing.h"

namespace renderer::engines {

Liveness liveness_of(const BuildUnit& unit);

// Returns the name of the state in messages: "live", "other cluster".
std::string_view word_of(UnitState state);

// True if files of this tree are applied by it, now or once it is resumed.
bool has_content(const BuildUnit& unit);

// True if engines apply the tree. Otherwise all of it is rendered. A unit that is broken or not
// known may apply something; a chart that is a root alone applies nothing.
bool are_applied(const std::vector<BuildUnit>& units);

// True if what it exposes is rendered. `skips_kept`: --skip-suspended.
bool is_rendered(const BuildUnit& unit, bool skips_kept);

std::vector<Standing> standings_of(const std::vector<BuildUnit>& units);

// Returns the clusters of the roots of Flux: those that this run renders, or the `others`.
std::set<std::string> clusters_of(const std::vector<BuildUnit>& units, bool others);

// Returns the names of the units and sets above it and its own, joined by kAbove, after the cluster
// of a root of Flux.
std::string unit_path_of(const std::vector<BuildUnit>& units, const BuildUnit& unit);

// Returns the revisions of Standings. `root`: of the tree, a normal path.
std::set<std::pair<std::string, std::string>> revisions_of(const std::vector<BuildUnit>& units,
                                                           const FluxRevisions& revisions,
                                                           const std::string& root);

// Marks a unit as kept, unless it is not applied anyway.
void keep(BuildUnit& unit, std::string reason);

}  // namespace renderer::engines
