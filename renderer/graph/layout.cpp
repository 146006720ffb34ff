#include "renderer/graph/layout.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "renderer/graph/layers.h"
#include "renderer/graph/text_width.h"
#include "renderer/graph/words.h"

namespace renderer::graph {
namespace {

constexpr int kGap = 36;         // between columns
constexpr int kRowGap = 14;      // between what is below each other
constexpr int kLaneHeight = 10;  // of an edge that passes a column
constexpr int kPortGap = 12;     // between edges at one side of a box
constexpr int kBoxPadding = 12, kBoxEdge = 8, kLabelPadding = 4, kSecondFrame = 4;
constexpr int kRounds = 12;

struct Span {
    std::int64_t top = 0;
    int height = 0;
};

class Placer {
public:
    explicit Placer(const Graph& graph)
        : graph_(graph), layers_(make_layers(graph)), spans_(layers_.items.size()) {}

    Layout run() {
        for (std::size_t i = 0; i < spans_.size(); ++i) {
            spans_[i].height = height_of(layers_.items[i]);
        }
        for (std::size_t layer = 0; layer < layers_.order.size(); ++layer) {
            place(layer, false, false);
        }
        for (int round = 0; round < kRounds; ++round) {
            const std::size_t count = layers_.order.size();
            for (std::size_t i = 1; i < count; ++i) {
                place(i, true, round > 1);
            }
            for (std::size_t i = count; i-- > 1;) {
                place(i - 1, round > 1, true);
            }
        }
        // Straightens what goes on to the right of the devices.
        for (std::size_t layer = 1; layer < layers_.order.size(); ++layer) {
            place(layer, true, false);
        }
        place_columns();
        return finish();
    }

private:
    [[nodiscard]] int height_of(const Item& item) const {
        if (item.kind != ItemKind::Node) {
            return item.kind == ItemKind::Label ? kCaptionHeight : kLaneHeight;
        }
        const auto lines = static_cast<int>(2 + graph_.nodes[item.index].details.size());
        const auto ports = static_cast<int>(std::max(item.left.size(), item.right.size()));
        return std::max((lines - 1) * kCaptionHeight + kTitleHeight + 2 * kBoxEdge,
                        (ports + 1) * kPortGap);
    }

    // Where a link meets the right side of the item at its left end, or the other way round.
    [[nodiscard]] std::int64_t port(std::size_t link, bool at_left_end) const {
        const Link& one = layers_.links[link];
        const std::size_t item = at_left_end ? one.left : one.right;
        const Item& end = layers_.items[item];
        const std::size_t count = (at_left_end ? end.right : end.left).size();
        const std::size_t place = at_left_end ? one.place_at_left : one.place_at_right;
        return spans_[item].top + spans_[item].height * static_cast<std::int64_t>(place + 1) /
                                      static_cast<std::int64_t>(count + 1);
    }

    // True if a lane or label is to be as high as what it is linked to on that side: where fewer
    // edges meet, so that edges part where many do.
    [[nodiscard]] bool follows(const Item& item, bool left) const {
        if (item.kind == ItemKind::Node) {
            return true;
        }
        const std::size_t before =
            layers_.items[layers_.links[item.left.front()].left].right.size();
        const std::size_t after =
            layers_.items[layers_.links[item.right.front()].right].left.size();
        return before == after || (before < after) == left;
    }

    // Where the top of an item would be if it were as high as what it is linked to.
    [[nodiscard]] std::int64_t wanted_top(std::size_t item, bool by_left, bool by_right) const {
        std::int64_t sum = 0;
        std::int64_t count = 0;
        for (const bool is_left : {true, false}) {
            if ((is_left ? !by_left : !by_right) || !follows(layers_.items[item], is_left)) {
                continue;
            }
            for (const std::size_t link :
                 is_left ? layers_.items[item].left : layers_.items[item].right) {
                sum += port(link, is_left);
                ++count;
            }
        }
        return count == 0 ? spans_[item].top : sum / count - spans_[item].height / 2;
    }

    // Places a layer in its order without overlaps, each item as near as possible to where it wants
    // to be: the sum of the squared distances is as small as it can be (isotonic regression).
    void place(std::size_t layer, bool by_left, bool by_right) {
        struct Run {
            std::int64_t sum = 0, count = 0;
            [[nodiscard]] bool is_after(const Run& other) const {
                return sum * other.count > other.sum * count;
            }
        };
        std::vector<Run> runs;
        std::int64_t offset = 0;
        for (const std::size_t item : layers_.order[layer]) {
            runs.push_back({wanted_top(item, by_left, by_right) - offset, 1});
            offset += spans_[item].height + kRowGap;
            while (runs.size() > 1 && runs[runs.size() - 2].is_after(runs.back())) {
                const Run last = runs.back();
                runs.pop_back();
                runs.back().sum += last.sum;
                runs.back().count += last.count;
            }
        }
        offset = 0;
        auto item = layers_.order[layer].begin();
        for (const Run& run : runs) {
            for (std::int64_t i = 0; i < run.count; ++i, ++item) {
                spans_[*item].top = floor_division(run.sum, run.count) + offset;
                offset += spans_[*item].height + kRowGap;
            }
        }
    }

    static std::int64_t floor_division(std::int64_t a, std::int64_t b) {
        return a / b - (a % b < 0 ? 1 : 0);
    }

    static int width_of_node(const Node& node) {
        const std::vector<std::string> lines = lines_of(node);
        int width = 0;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const bool is_bold = i == 1 || node.is_public;
            width =
                std::max(width, text_width(lines[i], i == 1 ? kTitleSize : kCaptionSize, is_bold));
        }
        // What is public has a second frame, a group a second line at its sides.
        const bool is_framed = node.is_public || node.is_group();
        return width + 2 * (kBoxPadding + (is_framed ? kSecondFrame : 0));
    }

    [[nodiscard]] int width_of(const Item& item) const {
        switch (item.kind) {
            case ItemKind::Node:
                return width_of_node(graph_.nodes[item.index]);
            case ItemKind::Label:
                return text_width(item.text, kCaptionSize, true) + 2 * kLabelPadding;
            case ItemKind::Lane:
                break;
        }
        return 0;
    }

    void place_columns() {
        int x = 0;
        for (std::size_t layer = 0; layer < layers_.order.size(); ++layer) {
            int width = 0;
            if (layers_.columns[layer] != kNoColumn) {
                width = text_width(kColumns[layers_.columns[layer]], kTitleSize, true);
            }
            for (const std::size_t item : layers_.order[layer]) {
                width = std::max(width, width_of(layers_.items[item]));
            }
            columns_.push_back({layers_.columns[layer], x, width});
            x += width + kGap;
        }
        width_ = std::max(0, x - kGap);
    }

    [[nodiscard]] Rect rect_of(std::size_t item) const {
        const PlacedColumn& column = columns_[layers_.items[item].layer];
        return {column.x, static_cast<int>(spans_[item].top - top_), column.width,
                spans_[item].height};
    }

    Layout finish() {
        Layout layout;
        std::int64_t bottom = 0;
        for (std::size_t i = 0; i < spans_.size(); ++i) {
            top_ = i == 0 ? spans_[i].top : std::min(top_, spans_[i].top);
            const std::int64_t end = spans_[i].top + spans_[i].height;
            bottom = i == 0 ? end : std::max(bottom, end);
        }
        layout.width = width_;
        layout.height = static_cast<int>(bottom - top_);
        for (const PlacedColumn& column : columns_) {
            if (column.column != kNoColumn) {
                layout.columns.push_back(column);
            }
        }
        for (std::size_t i = 0; i < layers_.items.size(); ++i) {
            const Item& item = layers_.items[i];
            if (item.kind == ItemKind::Node) {
                layout.nodes.push_back(
                    {item.index, rect_of(i), lines_of(graph_.nodes[item.index])});
            } else if (item.kind == ItemKind::Label) {
                layout.labels.push_back({item.index, label_rect(i), item.text});
            }
        }
        for (std::uint32_t edge = 0; edge < graph_.edges.size(); ++edge) {
            layout.edges.push_back(placed_edge(edge));
        }
        return layout;
    }

    // A label is centred in its column; its line is on both sides of it.
    [[nodiscard]] Rect label_rect(std::size_t item) const {
        Rect rect = rect_of(item);
        const int width = width_of(layers_.items[item]);
        rect.x += (rect.width - width) / 2;
        rect.width = width;
        return rect;
    }

    [[nodiscard]] PlacedEdge placed_edge(std::uint32_t index) const {
        PlacedEdge edge{.edge = index, .parts = {}};
        for (const std::size_t link : layers_.edges[index]) {
            const std::size_t left = layers_.links[link].left;
            const std::size_t right = layers_.links[link].right;
            const auto y_of = [&](bool at_left_end) {
                return static_cast<int>(port(link, at_left_end) - top_);
            };
            const Rect from = rect_of(left);
            const Rect to = rect_of(right);
            const int level = y_of(false);
            edge.parts.push_back({{from.right(), y_of(true)}, {to.x, level}});
            const auto add_run = [&](int begin, int end) {
                if (begin < end) {
                    edge.parts.push_back({{begin, level}, {end, level}});
                }
            };
            if (layers_.items[right].kind == ItemKind::Lane) {
                add_run(to.x, to.right());
            } else if (layers_.items[right].kind == ItemKind::Label) {
                const Rect label = label_rect(right);
                add_run(to.x, label.x);
                add_run(label.right(), to.right());
            }
        }
        const Edge& drawn = graph_.edges[index];
        edge.points_left =
            graph_.nodes[drawn.from].info().column > graph_.nodes[drawn.to].info().column;
        return edge;
    }

    const Graph& graph_;
    Layers layers_;
    std::vector<Span> spans_;
    std::vector<PlacedColumn> columns_;
    int width_ = 0;
    std::int64_t top_ = 0;
};

}  // namespace

Layout lay_out(const Graph& graph) {
    return Placer(graph).run();
}

}  // namespace renderer::graph
