#include "renderer/graph/collect.h"

#include <algorithm>
#include <tuple>

namespace renderer::graph {

void WayCollector::add(std::string_view ns, Steps steps) {
    std::vector<std::string> ids;
    ids.reserve(steps.size());
    for (Step& step : steps) {
        ids.push_back(step.node.id);
        nodes_.try_emplace(step.node.id, std::move(step.node));
    }
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
        Draft& edge = edges_[{ids[i], ids[i + 1]}];
        edge.is_public = edge.is_public || steps[i].is_public;
        edge.change = steps[i].change;  // the same for all ways
        edge.labels.insert(steps[i].labels.begin(), steps[i].labels.end());
    }
    ways_.emplace(ns, std::move(ids));
}

Graph WayCollector::finish(std::string cluster) {
    Graph graph{.cluster = std::move(cluster), .nodes = {}, .edges = {}, .ways = {}};
    for (auto& [id, node] : nodes_) {
        graph.nodes.push_back(std::move(node));
    }
    std::ranges::stable_sort(graph.nodes, {}, [](const Node& node) { return node.info().column; });
    std::map<std::string_view, std::uint32_t> index_of;
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
        index_of.emplace(graph.nodes[i].id, i);
    }
    for (auto& [ids, draft] : edges_) {
        graph.edges.push_back({.from = index_of.at(ids.first),
                               .to = index_of.at(ids.second),
                               .labels = {draft.labels.begin(), draft.labels.end()},
                               .is_public = draft.is_public,
                               .change = draft.change});
    }
    const auto ends_of = [](const Edge& edge) { return std::pair(edge.from, edge.to); };
    std::ranges::sort(graph.edges, {}, ends_of);
    for (const auto& [ns, ids] : ways_) {
        Way& way = graph.ways.emplace_back();
        way.ns = ns;
        for (const std::string& id : ids) {
            way.nodes.push_back(index_of.at(id));
        }
        for (std::size_t i = 0; i + 1 < way.nodes.size(); ++i) {
            const auto edge = std::ranges::lower_bound(
                graph.edges, std::pair(way.nodes[i], way.nodes[i + 1]), {}, ends_of);
            way.edges.push_back(static_cast<std::uint32_t>(edge - graph.edges.begin()));
        }
    }
    std::ranges::sort(graph.ways, {}, [](const Way& way) { return std::tie(way.ns, way.nodes); });
    return graph;
}

}  // namespace renderer::graph
