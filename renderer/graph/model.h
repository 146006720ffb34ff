// Who reaches what, as nodes and edges: the data between what makes a graph (graph.h) and what
// writes it (formats.h). One graph is one cluster. Texts are as in the tree: a format escapes them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/kube/kind.h"

namespace renderer::graph {

enum class NodeKind : std::uint8_t {
    Internet,
    Tailnet,        // everyone whom the tailnet policy allows
    TailnetTarget,  // what the cluster reaches in the tailnet
    Device,
    TailscaleService,
    Proxy,  // the pods for an object; Node::pods says of which kind
    Service,
    KubernetesApi,
    Workload,  // an object of the tree that a Service selects
    Pods,      // pods that are known only by a selector, or not at all
    Route,
    ExitNode,
    AppConnector,
    DnsName,  // of an ExternalName Service
    Storage,  // of recordings
};
constexpr std::size_t kNodeKinds = 15;

// Columns of a picture, from outside of the cluster on the left to networks beyond it on the right.
constexpr std::array<std::string_view, 7> kColumns = {"internet", "who",      "device", "proxy",
                                                      "Service",  "workload", "network"};
constexpr std::size_t kFirstInCluster = 3, kLastInCluster = 5;

struct KindInfo {
    std::string_view id;       // in JSON
    std::string_view caption;  // for people
    std::uint8_t column;       // index into kColumns
};

// What a change of the sources does to a node or an edge. Same in a graph of one side.
enum class Change : std::uint8_t { Same, Added, Removed, Changed };
std::string_view word_of(Change change);  // "added"; "" for Same

struct Node {
    std::string id;  // unique in its graph, and the same in every run: "service/shop/web"
    NodeKind kind = NodeKind::Internet;
    std::string title;
    std::vector<std::string> details;  // further lines
    bool is_public = false;            // anyone on the internet can reach it directly
    Change change = Change::Same;
    const PodTraits* pods = nullptr;  // of a Proxy; nullptr: of one Service or Ingress

    [[nodiscard]] KindInfo info() const;
    [[nodiscard]] bool is_group() const { return pods != nullptr && pods->serve_several; }
};

struct Edge {
    std::uint32_t from = 0, to = 0;   // indexes of nodes, in the direction of connections
    std::vector<std::string> labels;  // sorted
    bool is_public = false;
    Change change = Change::Same;

    [[nodiscard]] std::string text() const;  // the labels on one line, "" without any
};

// A way from one end to the other. Pictures are cut between ways, never within one.
struct Way {
    std::string ns;  // "" = of no namespace
    std::vector<std::uint32_t> nodes, edges;
};

struct Graph {
    std::string cluster;      // "" if it has no name
    std::vector<Node> nodes;  // sorted by column, then id
    std::vector<Edge> edges;  // sorted by (from, to)
    std::vector<Way> ways;    // sorted by namespace, then nodes
};

}  // namespace renderer::graph
