#include "renderer/cli/graphs.h"

#include "renderer/graph/graph.h"

namespace renderer::cli {

std::vector<graph::Graph> graphs_of(ClusterRuns& runs) {
    std::vector<graph::Graph> graphs;
    for (const Run& run : runs.all()) {
        graphs.push_back(graph::make_graph(run.loaded, run.inventory, run.plan));
    }
    return graphs;
}

}  // namespace renderer::cli
