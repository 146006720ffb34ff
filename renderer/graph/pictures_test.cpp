#include "renderer/graph/pictures.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "renderer/graph/collect.h"
#include "renderer/graph/formats.h"
#include "renderer/kube/kinds.h"

namespace renderer::graph {
namespace {

Node node_of(NodeKind kind, const std::string& id) {
    return {.id = id, .kind = kind, .title = id, .details = {}};
}

Node group_of_pods(const std::string& id) {
    Node node = node_of(NodeKind::Proxy, id);
    node.pods = find_pods("ProxyGroup/any");
    return node;
}

// Devices of a namespace, each with a proxy, behind one tailnet.
void add_devices(WayCollector& ways, const std::string& ns, int count) {
    for (int i = 0; i < count; ++i) {
        ways.add(ns, {{node_of(NodeKind::Tailnet, "tailnet")},
                      {node_of(NodeKind::Device, fmt::format("{}-{:03}", ns, i))},
                      {node_of(NodeKind::Proxy, fmt::format("proxy-{}-{:03}", ns, i))}});
    }
}

TEST(Pictures, OneWhereEverythingFits) {
    WayCollector ways;
    add_devices(ways, "a", 2);
    add_devices(ways, "b", 2);
    const std::vector<Picture> pictures = cut(ways.finish(""), 9);
    ASSERT_EQ(pictures.size(), 1U);
    EXPECT_TRUE(pictures[0].is_whole);
    EXPECT_EQ(pictures[0].nodes.size(), 9U);
    EXPECT_EQ(pictures[0].edges.size(), 8U);
    EXPECT_TRUE(cut(WayCollector().finish(""), 9).empty());
}

TEST(Pictures, AreCutByNamespaceAndThenBetweenWays) {
    WayCollector ways;
    add_devices(ways, "a", 2);
    add_devices(ways, "b", 7);
    const std::vector<Picture> pictures = cut(ways.finish(""), 10);
    ASSERT_EQ(pictures.size(), 3U);
    EXPECT_EQ(pictures[0].ns, "a");
    EXPECT_EQ(pictures[0].parts, 1U);
    EXPECT_EQ(pictures[1].ns, "b");
    EXPECT_EQ(pictures[1].nodes.size(), 9U);
    EXPECT_EQ(pictures[2].part, 2U);
    EXPECT_EQ(pictures[2].parts, 2U);
    std::size_t edges = 0;
    for (const Picture& picture : pictures) {
        EXPECT_LE(picture.nodes.size(), 10U);
        EXPECT_FALSE(picture.is_whole);
        edges += picture.edges.size();
    }
    EXPECT_EQ(edges, 18U);
}

TEST(Pictures, AGroupIsDrawnByItselfOnlyWhereNothingUsesIt) {
    WayCollector ways;
    ways.add("", {{group_of_pods("used")}});
    ways.add("", {{group_of_pods("idle")}});
    ways.add("a", {{node_of(NodeKind::Tailnet, "tailnet")},
                   {node_of(NodeKind::Device, "device")},
                   {group_of_pods("used")}});
    const std::vector<Picture> pictures = cut(ways.finish(""), 3);
    ASSERT_EQ(pictures.size(), 2U);
    EXPECT_EQ(pictures[0].nodes.size(), 1U);
    EXPECT_EQ(pictures[1].nodes.size(), 3U);
}

TEST(Pictures, DoNotDependOnTheOrderOfWays) {
    WayCollector forwards;
    add_devices(forwards, "a", 9);
    add_devices(forwards, "b", 9);
    WayCollector backwards;
    add_devices(backwards, "b", 9);
    add_devices(backwards, "a", 9);
    std::vector<Graph> one;
    one.push_back(forwards.finish("home"));
    std::vector<Graph> other;
    other.push_back(backwards.finish("home"));
    EXPECT_EQ(mermaid_text_of(one), mermaid_text_of(other));
    EXPECT_EQ(dot_text_of(one), dot_text_of(other));
    EXPECT_EQ(JsonReport().add(one.front()), JsonReport().add(other.front()));
}

}  // namespace
}  // namespace renderer::graph
