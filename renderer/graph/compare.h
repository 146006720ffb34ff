// Compares the graphs of two sides, and makes one graph of what differs.
#pragma once

#include <vector>

#include "renderer/graph/model.h"

namespace renderer::graph {

// Returns the ways of both sides on which anything was added, removed or changed, whole, with the
// change of each node and edge. Nodes are matched by their ids. Empty if nothing differs.
Graph compare_graphs(const Graph& base, const Graph& head);

// Compares clusters of the same name; if each side has only one, those two.
std::vector<Graph> compare_clusters(std::vector<Graph> base, std::vector<Graph> head);

// True if there is anything to draw.
bool draws_anything(const std::vector<Graph>& graphs);

}  // namespace renderer::graph
