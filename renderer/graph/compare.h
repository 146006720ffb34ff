// Compares the graphs of two sides, and makes one graph of what differs.
#pragma once

#include "renderer/graph/model.h"

namespace renderer::graph {

// Returns the ways of both sides on which anything was added, removed or changed, whole, with the
// change of each node and edge. Nodes are matched by their ids. Empty if nothing differs.
Graph compare_graphs(const Graph& base, const Graph& head);

}  // namespace renderer::graph
