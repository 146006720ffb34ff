// Decides whether Fleet deploys a bundle to the cluster that is rendered, and which target
// customizations of fleet.yaml apply to it. Cluster groups exist only in the Fleet manager and are
// not known offline: an error if the result depends on them. Source: Fleet
// internal/cmd/controller/target/matcher.
#pragma once

#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"
#include "renderer/engines/cluster_config.h"

namespace renderer::engines {

// Rule id of errors about labels or groups that are not known.
inline constexpr std::string_view kUnknownCluster = "unknown-cluster";

// Returns all customizations of a fleet.yaml.
std::vector<const Value*> customizations_of(const Value& fleet);

// Returns the customizations that apply, in order: the first one, or all of them with
// `targetCustomizationMode: AllMatches`.
std::vector<const Value*> matching_customizations(const Value& fleet, const Cluster& cluster,
                                                  Diagnostics& diagnostics);

// False if the bundle's `overrideTargets`, which replace the GitRepo's targets, exclude the
// cluster. The targets of the GitRepo itself are not checked.
bool is_targeted(const Value& fleet, const Cluster& cluster, Diagnostics& diagnostics);

}  // namespace renderer::engines
