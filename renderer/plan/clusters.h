// Checks over the plans of several clusters of one repository: what no cluster can see alone.
#pragma once

#include <span>
#include <string_view>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/plan/model.h"

namespace renderer {

struct ClusterPlan {
    std::string_view name;
    const Plan& plan;
    const SourceMap& sources;
    Diagnostics& diagnostics;  // takes what is said about this cluster's inputs
};

// Reports a hostname that two clusters of one tailnet use (the tailnet would call the second device
// `<hostname>-1`), a tag for taking over that two clusters have, and an egress target that is
// nearly, but not quite, the name of a device of another cluster. Clusters are in one tailnet when
// their `tailnetDomain` and control server are the same.
void check_clusters(std::span<const ClusterPlan> clusters);

}  // namespace renderer
