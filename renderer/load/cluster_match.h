// Does a target customization of fleet.yaml apply to the cluster that is rendered? Cluster groups
// live in the Fleet manager and cannot be known offline: where they would decide, that is an error.
// Source: Fleet internal/cmd/controller/target/matcher.
#pragma once

#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"
#include "renderer/load/cluster_config.h"

namespace renderer {

// The customizations of a fleet.yaml that apply, in order: the first one, or all of them with
// `targetCustomizationMode: AllMatches`.
std::vector<const Value*> matching_customizations(const Value& fleet, const Cluster& cluster,
                                                  Diagnostics& diagnostics);

}  // namespace renderer
