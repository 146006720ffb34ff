// Where everything of a picture is, in whole pixels. A layered layout: each kind of node has its
// column, and labels of edges have columns of their own between those. An edge that passes a column
// has a lane there, which takes room as a box does. So no boxes and labels overlap, and no edge
// crosses one. Within a column, nodes are ordered so that few edges cross.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "renderer/graph/model.h"

namespace renderer::graph {

struct Rect {
    int x = 0, y = 0, width = 0, height = 0;

    [[nodiscard]] int right() const { return x + width; }
    [[nodiscard]] int bottom() const { return y + height; }
    [[nodiscard]] int middle() const { return y + height / 2; }
};

struct Point {
    int x = 0, y = 0;
};

struct PlacedNode {
    std::uint32_t node = 0;
    Rect box;
    std::vector<std::string> lines;  // caption, title, details
};

struct PlacedLabel {
    std::uint32_t edge = 0;
    Rect box;
    std::string text;
};

// From left to right. Each pair of points is a part: a level run through a column, or a curve
// between two columns. Parts do not touch where the edge's label is between them.
struct PlacedEdge {
    std::uint32_t edge = 0;
    std::vector<std::pair<Point, Point>> parts;
    bool points_left = false;  // its arrow is at the left end
};

struct PlacedColumn {
    std::size_t column = 0;  // index into kColumns
    int x = 0, width = 0;
};

struct Layout {
    int width = 0, height = 0;
    std::vector<PlacedColumn> columns;
    std::vector<PlacedNode> nodes;
    std::vector<PlacedLabel> labels;
    std::vector<PlacedEdge> edges;
};

constexpr int kCaptionSize = 11, kTitleSize = 13;
constexpr int kCaptionHeight = 15, kTitleHeight = 18;  // of one line of text

// No edge of the graph may connect two nodes of one column.
Layout lay_out(const Graph& graph);

}  // namespace renderer::graph
