// The variables that a Kustomization of Flux gives to the objects of its unit.
#pragma once

#include <memory>
#include <string>

#include "renderer/core/value.h"
#include "renderer/engines/applied_unit.h"

namespace renderer::engines {

class GitOpsTree;

// Returns the variables of `postBuild` and of `--substitute`; null if `$` stays as it is. `file`
// has the Kustomization.
std::shared_ptr<const UnitVariables> variables_of(GitOpsTree& repository,
                                                  const Value& kustomization,
                                                  const std::string& file);

}  // namespace renderer::engines
