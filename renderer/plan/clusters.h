// Checks across the plans of several clusters of one repository, which need more than one cluster.
#pragma once

#include <span>
#include <string_view>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/plan/model.h"

namespace renderer::plan {

struct ClusterPlan {
    std::string_view name;
    const Plan& plan;
    const SourceMap& sources;
    Diagnostics& diagnostics;  // receives the diagnostics about this cluster's inputs
};

// Reports a hostname that two clusters of one tailnet use (the tailnet would name the second device
// `<hostname>-1`), a take-over tag that two clusters have, and an egress target that differs only
// slightly from the name of a device of another cluster. Clusters are in one tailnet if their
// `tailnetDomain` and control server are the same.
void check_clusters(std::span<const ClusterPlan> clusters);

}  // namespace renderer::plan
