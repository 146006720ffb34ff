#include "renderer/graph/layout.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "renderer/graph/collect.h"
#include "renderer/graph/formats.h"
#include "renderer/graph/layers.h"
#include "renderer/graph/text_width.h"

namespace renderer::graph {
namespace {

bool overlap(const Rect& a, const Rect& b) {
    return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

std::vector<Rect> boxes_of(const Layout& layout) {
    std::vector<Rect> boxes;
    for (const PlacedNode& node : layout.nodes) {
        boxes.push_back(node.box);
    }
    for (const PlacedLabel& label : layout.labels) {
        boxes.push_back(label.box);
    }
    return boxes;
}

// A part is within the rectangle of its ends: a level run, or a curve that ends level on both
// sides.
Rect around(const std::pair<Point, Point>& part) {
    const auto [from, to] = part;
    return {from.x, std::min(from.y, to.y), to.x - from.x, std::max(std::abs(to.y - from.y), 1)};
}

void expect_good(const Graph& graph) {
    const Layout layout = lay_out(graph);
    const std::vector<Rect> boxes = boxes_of(layout);
    ASSERT_EQ(layout.nodes.size(), graph.nodes.size());
    ASSERT_EQ(layout.edges.size(), graph.edges.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        EXPECT_GE(boxes[i].x, 0);
        EXPECT_GE(boxes[i].y, 0);
        EXPECT_LE(boxes[i].right(), layout.width);
        EXPECT_LE(boxes[i].bottom(), layout.height);
        for (std::size_t j = 0; j < i; ++j) {
            EXPECT_FALSE(overlap(boxes[i], boxes[j]));
        }
    }
    for (const PlacedEdge& edge : layout.edges) {
        ASSERT_FALSE(edge.parts.empty());
        for (const auto& part : edge.parts) {
            EXPECT_LE(part.first.x, part.second.x);
            EXPECT_TRUE(std::ranges::none_of(
                boxes, [&](const Rect& box) { return overlap(box, around(part)); }));
        }
    }
    for (const PlacedNode& node : layout.nodes) {
        for (std::size_t i = 0; i < node.lines.size(); ++i) {
            EXPECT_LT(text_width(node.lines[i], i == 1 ? kTitleSize : kCaptionSize, i == 1),
                      node.box.width);
        }
    }
}

Graph random_graph(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t limit) { return random() % limit; };
    Graph graph;
    const std::size_t count = 2 + below(40);
    for (std::size_t i = 0; i < count; ++i) {
        Node node{.id = fmt::format("{:03}", i),
                  .kind = static_cast<NodeKind>(below(kNodeKinds)),
                  .title = std::string(1 + below(60), static_cast<char>('a' + below(26))),
                  .details = std::vector<std::string>(below(4), "tag:k8s"),
                  .is_public = below(5) == 0};
        graph.nodes.push_back(std::move(node));
    }
    std::ranges::stable_sort(graph.nodes, {}, [](const Node& node) { return node.info().column; });
    for (std::uint32_t from = 0; from < count; ++from) {
        for (std::uint32_t to = 0; to < count; ++to) {
            const bool is_level = graph.nodes[from].info().column == graph.nodes[to].info().column;
            if (!is_level && below(count) < 2) {
                graph.edges.push_back({.from = from,
                                       .to = to,
                                       .labels = std::vector<std::string>(below(2), "tcp/443"),
                                       .is_public = below(4) == 0});
            }
        }
    }
    return graph;
}

TEST(Layout, NothingOverlapsInRandomGraphs) {
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        expect_good(random_graph(seed));
        if (HasFailure()) {
            break;
        }
    }
}

Node node_at(NodeKind kind, const std::string& id) {
    return {.id = id, .kind = kind, .title = id, .details = {}};
}

TEST(Layout, LeavesOutColumnsWithoutNodes) {
    WayCollector ways;
    ways.add("",
             {{node_at(NodeKind::Tailnet, "t"), {"sessions"}}, {node_at(NodeKind::Proxy, "p")}});
    const Graph graph = ways.finish("");
    const Layout layout = lay_out(graph);
    ASSERT_EQ(layout.columns.size(), 2U);
    EXPECT_EQ(layout.columns[0].column, 1U);
    EXPECT_EQ(layout.columns[1].column, 3U);
    EXPECT_EQ(layout.labels.size(), 1U);
    EXPECT_FALSE(layout.edges[0].points_left);
    expect_good(graph);
}

TEST(Layout, AnEdgeOutOfTheClusterPointsLeft) {
    WayCollector ways;
    ways.add("", {{node_at(NodeKind::Service, "s")}, {node_at(NodeKind::Proxy, "p")}});
    const Layout layout = lay_out(ways.finish(""));
    EXPECT_TRUE(layout.edges[0].points_left);
}

TEST(Layout, OrdersColumnsSoThatEdgesDoNotCross) {
    WayCollector ways;
    for (const auto& [device, proxy] :
         {std::pair("a", "z"), std::pair("b", "y"), std::pair("c", "x"), std::pair("d", "w")}) {
        ways.add("", {{node_at(NodeKind::Device, device)}, {node_at(NodeKind::Proxy, proxy)}});
    }
    EXPECT_EQ(count_crossings(make_layers(ways.finish(""))), 0U);
}

TEST(Layout, CountsCrossings) {
    Graph graph;
    for (const char* id : {"a", "b"}) {
        graph.nodes.push_back(node_at(NodeKind::Device, id));
    }
    for (const char* id : {"c", "d"}) {
        graph.nodes.push_back(node_at(NodeKind::Proxy, id));
    }
    // All devices reach all proxies: one crossing cannot be avoided.
    for (const auto& [from, to] :
         {std::pair(0U, 2U), std::pair(0U, 3U), std::pair(1U, 2U), std::pair(1U, 3U)}) {
        graph.edges.push_back({.from = from, .to = to, .labels = {}});
    }
    EXPECT_EQ(count_crossings(make_layers(graph)), 1U);
}

TEST(Layout, AnEmptyGraphIsAPictureToo) {
    EXPECT_NE(svg_text_of({}).find("no devices"), std::string::npos);
    EXPECT_EQ(mermaid_text_of({Graph{}}), "no devices\n");
}

TEST(TextWidth, IsThatOfTheTable) {
    EXPECT_EQ(text_width("", 10, false), 0);
    EXPECT_EQ(text_width("i", 1'000, false), 278);
    EXPECT_EQ(text_width("W", 1'000, true), 1'104);
    EXPECT_GT(text_width("中", 10, false), text_width("m", 10, false));
}

}  // namespace
}  // namespace renderer::graph
