#include "renderer/graph/layers.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "renderer/base/check.h"
#include "renderer/graph/words.h"

namespace renderer::graph {
namespace {

constexpr int kSweeps = 12;

class LayerMaker {
public:
    explicit LayerMaker(const Graph& graph) : graph_(graph), degrees_(graph.nodes.size()) {
        for (const Edge& edge : graph.edges) {
            ++degrees_[edge.from];
            ++degrees_[edge.to];
        }
    }

    Layers run() {
        number_layers();
        made_.order.resize(made_.columns.size());
        for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
            add_item({.kind = ItemKind::Node, .index = i, .layer = layers_.at(slot_of_node(i))});
        }
        for (std::uint32_t i = 0; i < graph_.edges.size(); ++i) {
            add_edge(i);
        }
        return std::move(made_);
    }

private:
    // Columns have even slots, and the labels between them odd ones.
    [[nodiscard]] std::size_t slot_of_node(std::uint32_t node) const {
        return 2 * std::size_t{graph_.nodes[node].info().column};
    }

    // Returns the nodes at the left and at the right end.
    [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> ends_of(const Edge& edge) const {
        const bool is_forward = slot_of_node(edge.from) < slot_of_node(edge.to);
        CHECK(slot_of_node(edge.from) != slot_of_node(edge.to));
        return is_forward ? std::pair(edge.from, edge.to) : std::pair(edge.to, edge.from);
    }

    // A label is beside the end that has fewer edges.
    [[nodiscard]] std::size_t slot_of_label(const Edge& edge) const {
        const auto [left, right] = ends_of(edge);
        return degrees_[right] < degrees_[left] ? slot_of_node(right) - 1 : slot_of_node(left) + 1;
    }

    void number_layers() {
        for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
            layers_.emplace(slot_of_node(i), 0);
        }
        for (const Edge& edge : graph_.edges) {
            if (!label_of(edge).empty()) {
                layers_.emplace(slot_of_label(edge), 0);
            }
        }
        for (auto& [slot, layer] : layers_) {
            layer = made_.columns.size();
            made_.columns.push_back(slot % 2 == 0 ? slot / 2 : kNoColumn);
        }
    }

    std::size_t add_item(Item item) {
        const std::size_t index = made_.items.size();
        item.place = made_.order[item.layer].size();
        made_.order[item.layer].push_back(index);
        made_.items.push_back(std::move(item));
        return index;
    }

    void add_edge(std::uint32_t index) {
        const Edge& edge = graph_.edges[index];
        const auto [left, right] = ends_of(edge);
        const std::string label = label_of(edge);
        const std::size_t label_slot = label.empty() ? kNoColumn : slot_of_label(edge);
        std::vector<std::size_t>& links = made_.edges.emplace_back();
        std::size_t last = left;
        const auto link_to = [&](std::size_t item) {
            made_.items[last].right.push_back(made_.links.size());
            made_.items[item].left.push_back(made_.links.size());
            links.push_back(made_.links.size());
            made_.links.push_back({.left = last, .right = item});
            last = item;
        };
        const auto end = layers_.find(slot_of_node(right));
        for (auto at = std::next(layers_.find(slot_of_node(left))); at != end; ++at) {
            const bool is_label = at->first == label_slot;
            link_to(add_item({.kind = is_label ? ItemKind::Label : ItemKind::Lane,
                              .index = index,
                              .layer = at->second,
                              .text = is_label ? label : std::string()}));
        }
        link_to(right);
    }

    const Graph& graph_;
    std::vector<std::size_t> degrees_;
    std::map<std::size_t, std::size_t> layers_;  // by slot
    Layers made_;
};

std::size_t other_end(const Layers& layers, std::size_t link, bool is_left) {
    return is_left ? layers.links[link].left : layers.links[link].right;
}

void number_places(Layers& layers, std::size_t layer) {
    for (std::size_t i = 0; i < layers.order[layer].size(); ++i) {
        layers.items[layers.order[layer][i]].place = i;
    }
}

// Orders one layer by the mean place of what each item is linked to on one side. What has no link
// there keeps its place. In whole numbers, so that no machine rounds otherwise.
void order_layer(Layers& layers, std::size_t layer, bool by_left) {
    constexpr std::size_t kScale = 1'024;
    std::vector<std::size_t>& order = layers.order[layer];
    std::vector<std::pair<std::size_t, std::size_t>> means;  // with the item
    for (const std::size_t item : order) {
        const auto& links = by_left ? layers.items[item].left : layers.items[item].right;
        std::size_t sum = 0;
        for (const std::size_t link : links) {
            sum += layers.items[other_end(layers, link, by_left)].place;
        }
        means.emplace_back(
            links.empty() ? layers.items[item].place * kScale : sum * kScale / links.size(), item);
    }
    std::ranges::stable_sort(means, {}, &std::pair<std::size_t, std::size_t>::first);
    std::ranges::transform(means, order.begin(), &std::pair<std::size_t, std::size_t>::second);
    number_places(layers, layer);
}

// Begins with the order of ways, which keeps namespaces and what belongs together.
void order_by_ways(const Graph& graph, Layers& layers) {
    std::vector<std::size_t> seen(layers.items.size(), SIZE_MAX);
    std::size_t next = 0;
    const auto see = [&](std::size_t item) {
        seen[item] = seen[item] == SIZE_MAX ? next++ : seen[item];
    };
    for (const Way& way : graph.ways) {
        for (const std::uint32_t node : way.nodes) {
            see(node);
        }
        for (const std::uint32_t edge : way.edges) {
            for (const std::size_t link : layers.edges[edge]) {
                see(layers.links[link].right);
            }
        }
    }
    for (std::size_t layer = 0; layer < layers.order.size(); ++layer) {
        std::ranges::stable_sort(layers.order[layer], {},
                                 [&](std::size_t item) { return seen[item]; });
        number_places(layers, layer);
    }
}

// Sorts the links of every item by where they go.
void order_links(Layers& layers) {
    for (Item& item : layers.items) {
        for (const bool is_left : {true, false}) {
            std::vector<std::size_t>& links = is_left ? item.left : item.right;
            std::ranges::stable_sort(links, {}, [&](std::size_t link) {
                return layers.items[other_end(layers, link, is_left)].place;
            });
            for (std::size_t i = 0; i < links.size(); ++i) {
                Link& link = layers.links[links[i]];
                (is_left ? link.place_at_right : link.place_at_left) = i;
            }
        }
    }
}

// Counts the pairs (i, j) with i < j and places[i] > places[j].
std::size_t count_inversions(const std::vector<std::size_t>& places, std::size_t size) {
    std::vector<std::size_t> tree(size + 1);
    std::size_t count = 0;
    std::size_t before = 0;
    for (const std::size_t place : places) {
        std::size_t not_after = 0;
        for (std::size_t i = place + 1; i > 0; i &= i - 1) {
            not_after += tree[i];
        }
        count += before - not_after;
        for (std::size_t i = place + 1; i <= size; i += i & (~i + 1)) {
            ++tree[i];
        }
        ++before;
    }
    return count;
}

}  // namespace

std::size_t count_crossings(const Layers& layers) {
    std::size_t count = 0;
    for (std::size_t layer = 0; layer + 1 < layers.order.size(); ++layer) {
        std::vector<std::size_t> places;
        for (const std::size_t item : layers.order[layer]) {
            const std::size_t first = places.size();
            for (const std::size_t link : layers.items[item].right) {
                places.push_back(layers.items[layers.links[link].right].place);
            }
            std::sort(places.begin() + static_cast<std::ptrdiff_t>(first), places.end());
        }
        count += count_inversions(places, layers.order[layer + 1].size());
    }
    return count;
}

Layers make_layers(const Graph& graph) {
    Layers layers = LayerMaker(graph).run();
    order_by_ways(graph, layers);
    std::vector<std::vector<std::size_t>> best = layers.order;
    std::size_t fewest = count_crossings(layers);
    for (int sweep = 0; sweep < kSweeps && fewest > 0; ++sweep) {
        const std::size_t count = layers.order.size();
        for (std::size_t i = 1; i < count; ++i) {
            order_layer(layers, sweep % 2 == 0 ? i : count - 1 - i, sweep % 2 == 0);
        }
        if (const std::size_t crossings = count_crossings(layers); crossings < fewest) {
            fewest = crossings;
            best = layers.order;
        }
    }
    layers.order = std::move(best);
    for (std::size_t layer = 0; layer < layers.order.size(); ++layer) {
        number_places(layers, layer);
    }
    order_links(layers);
    return layers;
}

}  // namespace renderer::graph
