#include "renderer/graph/compare.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "renderer/graph/collect.h"

namespace renderer::graph {
namespace {

Node plain_node(NodeKind kind, const std::string& id, std::vector<std::string> details = {}) {
    return {.id = id, .kind = kind, .title = id, .details = std::move(details)};
}

Graph with_devices(std::initializer_list<const char*> names, const std::string& tag = "tag:a") {
    WayCollector ways;
    for (const char* name : names) {
        ways.add("shop", {{plain_node(NodeKind::Tailnet, "tailnet")},
                          {plain_node(NodeKind::Device, name, {tag}), {"tcp/80"}},
                          {plain_node(NodeKind::Proxy, std::string("proxy-") + name)}});
    }
    return ways.finish("home");
}

Change change_in(const Graph& graph, std::string_view id) {
    const auto node = std::ranges::find(graph.nodes, id, &Node::id);
    EXPECT_NE(node, graph.nodes.end()) << id;
    return node == graph.nodes.end() ? Change::Same : node->change;
}

TEST(CompareGraphs, ShowsWhatIsAddedAndRemovedWithItsWays) {
    const Graph graph = compare_graphs(with_devices({"a", "b"}), with_devices({"b", "c"}));
    EXPECT_EQ(graph.cluster, "home");
    EXPECT_EQ(graph.nodes.size(), 5U);  // the tailnet, and two each of a and c
    EXPECT_EQ(change_in(graph, "a"), Change::Removed);
    EXPECT_EQ(change_in(graph, "proxy-a"), Change::Removed);
    EXPECT_EQ(change_in(graph, "c"), Change::Added);
    EXPECT_EQ(change_in(graph, "tailnet"), Change::Same);
    ASSERT_EQ(graph.edges.size(), 4U);
    EXPECT_EQ(graph.edges[0].change, Change::Removed);
    EXPECT_EQ(graph.edges[1].change, Change::Added);
    EXPECT_EQ(graph.edges[2].labels, std::vector<std::string>{"tcp/80"});
}

TEST(CompareGraphs, AnotherTagIsAChange) {
    const Graph graph = compare_graphs(with_devices({"a"}), with_devices({"a"}, "tag:b"));
    EXPECT_EQ(change_in(graph, "a"), Change::Changed);
    EXPECT_EQ(change_in(graph, "proxy-a"), Change::Same);
    EXPECT_EQ(std::ranges::find(graph.nodes, "a", &Node::id)->details,
              std::vector<std::string>{"tag:b"});
}

TEST(CompareGraphs, AnEdgeThatBecomesPublicIsAChange) {
    const auto side = [](bool is_public) {
        WayCollector ways;
        ways.add("", {{plain_node(NodeKind::Tailnet, "t"), {}, is_public},
                      {plain_node(NodeKind::Device, "d")}});
        return ways.finish("");
    };
    const Graph graph = compare_graphs(side(false), side(true));
    ASSERT_EQ(graph.edges.size(), 1U);
    EXPECT_EQ(graph.edges[0].change, Change::Changed);
    EXPECT_TRUE(graph.edges[0].is_public);
}

TEST(CompareGraphs, IsEmptyWhereNothingDiffers) {
    EXPECT_TRUE(compare_graphs(with_devices({"a"}), with_devices({"a"})).nodes.empty());
}

}  // namespace
}  // namespace renderer::graph
