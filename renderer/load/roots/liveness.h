// What is known of whether an engine applies a unit, and what follows from it. Every stage that
// wants to know asks here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "renderer/load/roots/build_unit.h"

namespace renderer {

enum class Liveness : std::uint8_t {
    Applied,
    Kept,     // rendered as well, and marked: what runs stays as it is
    Absent,   // not from this tree, or not to this cluster
    Broken,   // the engine stops at it, and removes nothing
    Unknown,  // this run cannot tell
};

Liveness liveness_of(const BuildUnit& unit);

// It has content of this tree.
bool has_content(const BuildUnit& unit);

// False: nothing of the tree is applied by someone, so all of it is rendered. What is broken or not
// known may apply something. A chart that is a root applies itself, which is nothing yet.
bool are_applied(const std::vector<BuildUnit>& units);

// What it exposes belongs into the output. `skips_kept`: --skip-suspended.
bool is_rendered(const BuildUnit& unit, bool skips_kept);

// Keeps a unit that was to be applied.
void keep(BuildUnit& unit, std::string reason);

}  // namespace renderer
