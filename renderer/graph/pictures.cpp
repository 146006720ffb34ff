#include "renderer/graph/pictures.h"

#include <algorithm>
#include <set>
#include <utility>

namespace renderer::graph {
namespace {

struct Content {
    std::set<std::uint32_t> nodes, edges;

    void add(const Way& way) {
        nodes.insert(way.nodes.begin(), way.nodes.end());
        edges.insert(way.edges.begin(), way.edges.end());
    }

    [[nodiscard]] std::size_t size_with(const Way& way) const {
        const auto more = std::ranges::count_if(
            way.nodes, [&](std::uint32_t node) { return !nodes.contains(node); });
        return nodes.size() + static_cast<std::size_t>(more);
    }

    [[nodiscard]] Picture picture() const {
        Picture made;
        made.nodes.assign(nodes.begin(), nodes.end());
        made.edges.assign(edges.begin(), edges.end());
        return made;
    }
};

// A group without members is a way of one node, which ways of other namespaces may have.
bool is_shown_elsewhere(const Graph& graph, const Way& way) {
    return way.nodes.size() == 1 && std::ranges::any_of(graph.ways, [&](const Way& other) {
               return other.nodes.size() > 1 &&
                      std::ranges::find(other.nodes, way.nodes.front()) != other.nodes.end();
           });
}

}  // namespace

std::vector<Picture> cut(const Graph& graph, std::size_t most) {
    std::vector<Picture> pictures;
    if (graph.nodes.size() <= most) {
        Content all;
        for (const Way& way : graph.ways) {
            all.add(way);
        }
        if (!all.nodes.empty()) {
            pictures.push_back(all.picture());
        }
        return pictures;
    }
    for (auto way = graph.ways.begin(); way != graph.ways.end();) {
        const std::string& ns = way->ns;
        const std::size_t first = pictures.size();
        Content content;
        const auto close = [&] {
            if (!content.nodes.empty()) {
                pictures.push_back(std::exchange(content, {}).picture());
            }
        };
        for (; way != graph.ways.end() && way->ns == ns; ++way) {
            if (is_shown_elsewhere(graph, *way)) {
                continue;
            }
            if (content.size_with(*way) > most) {
                close();
            }
            content.add(*way);
        }
        close();
        for (std::size_t i = first; i < pictures.size(); ++i) {
            pictures[i].ns = ns;
            pictures[i].is_whole = false;
            pictures[i].part = i - first + 1;
            pictures[i].parts = pictures.size() - first;
        }
    }
    return pictures;
}

}  // namespace renderer::graph
