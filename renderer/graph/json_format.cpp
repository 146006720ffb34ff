#include <string_view>
#include <utility>

#include "renderer/core/value.h"
#include "renderer/graph/formats.h"

namespace renderer::graph {
namespace {

constexpr int kGraphVersion = 1;

Value json_node(const Node& node) {
    Value map = Value::map({{"id", node.id},
                            {"kind", node.info().id},
                            {"title", node.title},
                            {"details", text_list(node.details)},
                            {"public", node.is_public}});
    put_if(map, node.change != Change::Same, "change", word_of(node.change));
    return map;
}

Value json_edge(const Graph& graph, const Edge& edge) {
    Value map = Value::map({{"from", graph.nodes[edge.from].id},
                            {"to", graph.nodes[edge.to].id},
                            {"labels", text_list(edge.labels)},
                            {"public", edge.is_public}});
    put_if(map, edge.change != Change::Same, "change", word_of(edge.change));
    return map;
}

}  // namespace

std::string JsonReport::begin(const std::optional<Sides>& sides) {
    Value report = Value::map({{"version", kGraphVersion}, {"report", "graph"}});
    if (sides) {
        report.add("base", Value(sides->base));
        report.add("head", Value(sides->head));
    }
    return pieces_.begin(report, "clusters");
}

std::string JsonReport::add(const Graph& graph) {
    Value nodes = Value::list();
    for (const Node& node : graph.nodes) {
        nodes.append(json_node(node));
    }
    Value edges = Value::list();
    for (const Edge& edge : graph.edges) {
        edges.append(json_edge(graph, edge));
    }
    Value map = Value::map({{"cluster", graph.cluster}});
    map.add("nodes", std::move(nodes));
    map.add("edges", std::move(edges));
    return pieces_.item(map);
}

std::string JsonReport::end() {
    return pieces_.end() + "\n";
}

}  // namespace renderer::graph
