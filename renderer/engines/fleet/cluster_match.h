// Does Fleet deploy a bundle to the cluster that is rendered, and which target customizations of
// fleet.yaml apply to it? Cluster groups live in the Fleet manager and cannot be known offline:
// where they would decide, that is an error.
// Source: Fleet internal/cmd/controller/target/matcher.
#pragma once

#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"
#include "renderer/engines/cluster_config.h"

namespace renderer {

// The rule of what depends on labels or groups that are not known.
inline constexpr std::string_view kUnknownCluster = "unknown-cluster";

// The customizations of a fleet.yaml, whether they apply or not.
std::vector<const Value*> customizations_of(const Value& fleet);

// Those that apply, in order: the first one, or all of them with
// `targetCustomizationMode: AllMatches`.
std::vector<const Value*> matching_customizations(const Value& fleet, const Cluster& cluster,
                                                  Diagnostics& diagnostics);

// False when the bundle's `overrideTargets`, which take the place of the GitRepo's targets, leave
// the cluster out. What a GitRepo targets is not a bundle's business.
bool is_targeted(const Value& fleet, const Cluster& cluster, Diagnostics& diagnostics);

}  // namespace renderer
