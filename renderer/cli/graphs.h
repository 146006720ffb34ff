// The graphs of runs.
#pragma once

#include <vector>

#include "renderer/cli/cluster_runs.h"
#include "renderer/graph/model.h"

namespace renderer::cli {

// Returns one for each cluster.
std::vector<graph::Graph> graphs_of(ClusterRuns& runs);

}  // namespace renderer::cli
