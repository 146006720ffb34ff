// What is said of the units of engines in a tree: inputs that none of them applies, and what they
// apply that is not known.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/includes.h"
#include "renderer/load/select_build.h"

namespace renderer {

// Files with inputs that no unit applies, by their directory.
using Unreached = std::map<std::string, std::vector<std::string>>;

// Warns of them. What could apply them, and is broken or not known, is an error.
void report_unreached(const SelectContext& context, GitOpsTree& repository,
                      const std::vector<BuildUnit>& units, const UnitChoice& choice,
                      const Unreached& unreached);

// Of units whose source is not at hand: an error where their own text exposes something or names
// Tailscale, or where the source may be made of this repository and hold what is `unreached`.
void refuse_elsewhere(const SelectContext& context, GitOpsTree& repository,
                      const std::vector<BuildUnit>& units, const UnitChoice& choice,
                      const Unreached& unreached);

}  // namespace renderer
