#include "renderer/graph/compare.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "renderer/graph/collect.h"

namespace renderer::graph {
namespace {

using Ends = std::pair<std::string_view, std::string_view>;

// A side, by what is the same on both.
struct GraphSide {
    explicit GraphSide(const Graph& graph) {
        for (const Node& node : graph.nodes) {
            nodes.emplace(node.id, &node);
        }
        for (const Edge& edge : graph.edges) {
            edges.emplace(Ends(graph.nodes[edge.from].id, graph.nodes[edge.to].id), &edge);
        }
    }

    std::map<std::string_view, const Node*> nodes;
    std::map<Ends, const Edge*> edges;
};

bool is_same(const Node& one, const Node& other) {
    return one.kind == other.kind && one.title == other.title && one.details == other.details &&
           one.is_public == other.is_public;
}

bool is_same(const Edge& one, const Edge& other) {
    return one.labels == other.labels && one.is_public == other.is_public;
}

template <typename Key, typename Thing>
Change change_of(const std::map<Key, const Thing*>& base, const std::map<Key, const Thing*>& head,
                 const Key& key) {
    const auto before = base.find(key);
    const auto after = head.find(key);
    return before == base.end()                       ? Change::Added
           : after == head.end()                      ? Change::Removed
           : is_same(*before->second, *after->second) ? Change::Same
                                                      : Change::Changed;
}

class Comparer {
public:
    Comparer(const Graph& base, const Graph& head) : base_(base), head_(head) {}

    void add_ways(const Graph& graph, bool is_base, WayCollector& ways) const {
        for (const Way& way : graph.ways) {
            Steps steps;
            bool differs = false;
            for (std::size_t i = 0; i < way.nodes.size(); ++i) {
                const Node& node = graph.nodes[way.nodes[i]];
                Step& step = steps.emplace_back(Step{node});
                step.node.change = change_of(base_.nodes, head_.nodes, std::string_view(node.id));
                differs = differs || step.node.change != Change::Same;
                if (i > 0) {
                    const Edge& edge = graph.edges[way.edges[i - 1]];
                    Step& from = steps[i - 1];
                    from.change = change_of(base_.edges, head_.edges,
                                            Ends(graph.nodes[edge.from].id, node.id));
                    differs = differs || from.change != Change::Same;
                    // Labels of the old side only where there is no new one.
                    if (!is_base || from.change == Change::Removed) {
                        from.labels = edge.labels;
                        from.is_public = edge.is_public;
                    }
                }
            }
            if (differs) {
                ways.add(way.ns, std::move(steps));
            }
        }
    }

private:
    GraphSide base_, head_;
};

}  // namespace

Graph compare_graphs(const Graph& base, const Graph& head) {
    const Comparer comparer(base, head);
    WayCollector ways;
    comparer.add_ways(head, false, ways);  // first, because the first node of an id counts
    comparer.add_ways(base, true, ways);
    return ways.finish(head.cluster.empty() ? base.cluster : head.cluster);
}

std::vector<Graph> compare_clusters(std::vector<Graph> base, std::vector<Graph> head) {
    std::map<std::string, std::pair<Graph, Graph>> pairs;
    const bool is_one = base.size() == 1 && head.size() == 1 &&
                        (base.front().cluster.empty() || head.front().cluster.empty());
    for (Graph& graph : base) {
        const std::string name = is_one ? head.front().cluster : graph.cluster;
        pairs[name].first = std::move(graph);
    }
    for (Graph& graph : head) {
        const std::string name = graph.cluster;
        pairs[name].second = std::move(graph);
    }
    std::vector<Graph> changes;
    for (const auto& [name, pair] : pairs) {
        changes.push_back(compare_graphs(pair.first, pair.second));
        changes.back().cluster = name;
    }
    return changes;
}

bool draws_anything(const std::vector<Graph>& graphs) {
    return std::ranges::any_of(graphs, [](const Graph& graph) { return !graph.ways.empty(); });
}

}  // namespace renderer::graph
