// Reports units that cannot be followed, and inputs that no unit applies.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/includes.h"
#include "renderer/engines/select/select_build.h"

namespace renderer::engines {

// Names of files with inputs that no unit applies, by directory.
using Unreached = std::map<std::string, std::vector<std::string>>;

// Warns of inputs that no unit applies. A unit that may apply them, but is broken or unknown, is an
// error.
void report_unreached(const SelectContext& context, GitOpsTree& repository,
                      const std::vector<BuildUnit>& units, const UnitChoice& choice,
                      const Unreached& unreached);

// Checks units whose source is not available. It is an error if such a unit's own text exposes
// something or names Tailscale, or if its source may be built from this repository and include
// `unreached` files.
void refuse_elsewhere(const SelectContext& context, GitOpsTree& repository,
                      const std::vector<BuildUnit>& units, const UnitChoice& choice,
                      const Unreached& unreached);

}  // namespace renderer::engines
