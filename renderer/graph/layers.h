// The columns of a layout with everything that takes room in them, and the order in each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/graph/model.h"

namespace renderer::graph {

enum class ItemKind : std::uint8_t { Node, Lane, Label };

struct Item {
    ItemKind kind = ItemKind::Node;
    std::uint32_t index = 0;  // of the node, or of the edge
    std::size_t layer = 0;
    std::size_t place = 0;  // in its layer
    std::string text = {};  // of a label
    // Indexes of links to the layers before and after, from top to bottom.
    std::vector<std::size_t> left = {}, right = {};
};

// The part of an edge between two neighbouring layers.
struct Link {
    std::size_t left = 0, right = 0;                    // items
    std::size_t place_at_left = 0, place_at_right = 0;  // among the links at the side of the item
};

struct Layers {
    std::vector<Item> items;  // nodes of the graph first, in their order
    std::vector<Link> links;
    std::vector<std::vector<std::size_t>> order;  // items of each layer, from top to bottom
    std::vector<std::size_t> columns;             // index into kColumns; kNoColumn for labels
    std::vector<std::vector<std::size_t>> edges;  // links of each edge, from left to right
};
constexpr std::size_t kNoColumn = SIZE_MAX;

// Also orders them.
Layers make_layers(const Graph& graph);

// Counts pairs of links that cross.
std::size_t count_crossings(const Layers& layers);

}  // namespace renderer::graph
