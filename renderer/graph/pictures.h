// Cuts a graph into pictures that people can take in: by namespace, and between ways where a
// namespace has too many nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/graph/model.h"

namespace renderer::graph {

struct Picture {
    std::string ns;                           // what it shows; "" = of no namespace, or everything
    bool is_whole = true;                     // everything of the graph
    std::size_t part = 1, parts = 1;          // of the namespace
    std::vector<std::uint32_t> nodes, edges;  // indexes into the graph, sorted
};

// Returns pictures of at most `most` nodes, which must be enough for the longest way. One picture
// if everything fits; none for an empty graph.
std::vector<Picture> cut(const Graph& graph, std::size_t most);

}  // namespace renderer::graph
