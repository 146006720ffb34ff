// The variables that a Kustomization of Flux gives to the objects of its unit.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "renderer/core/value.h"
#include "renderer/engines/applied_unit.h"
#include "renderer/engines/build_unit.h"

namespace renderer::engines {

class GitOpsTree;

// Returns the variables of `postBuild` and of `--substitute`; null if `$` stays as it is. `file`
// has the Kustomization.
std::shared_ptr<const UnitVariables> variables_of(GitOpsTree& repository,
                                                  const Value& kustomization,
                                                  const std::string& file);

// Returns the variables of a unit when it is known what the units apply: without the values of
// ConfigMaps that only other clusters apply, and with those that are not applied now marked.
// `named`: what the user sets.
std::shared_ptr<const UnitVariables> settled_variables(const std::vector<BuildUnit>& units,
                                                       const BuildUnit& unit,
                                                       const UnitVariables& named);

}  // namespace renderer::engines
