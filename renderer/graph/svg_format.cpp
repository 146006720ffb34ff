#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "renderer/base/markup.h"
#include "renderer/base/printable.h"
#include "renderer/graph/formats.h"
#include "renderer/graph/layout.h"
#include "renderer/graph/text_width.h"
#include "renderer/graph/words.h"

namespace renderer::graph {
namespace {

constexpr int kMargin = 24;
constexpr int kHeadHeight = 34;    // of the names of columns
constexpr int kFramePadding = 14;  // between the frame of the cluster and what is in it
constexpr int kFrameTitle = 26;    // above what is in the frame
constexpr int kClusterGap = 40;    // between clusters
constexpr int kArrowLength = 9, kArrowHalf = 4;
constexpr int kEmptyWidth = 200, kEmptyHeight = 40;

// Colours only repeat what words and shapes say.
constexpr std::string_view kStyle = R"(<style>
.page{fill:#ffffff}
text{font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,"DejaVu Sans",sans-serif;fill:#1f2328}
.head,.caption,.detail{font-size:11px;fill:#59636e}
.head,.title{font-size:13px;font-weight:600}
.label{font-size:11px;fill:#1f2328}
.frame{fill:#f6f8fa;stroke:#8c959f;stroke-dasharray:2 3}
.box{fill:#ffffff;stroke:#59636e}
.inner{fill:none;stroke:#59636e}
.line{fill:none;stroke:#59636e;stroke-width:1.5}
.arrow{fill:#59636e;stroke:none}
.public .box,.public .inner{stroke:#cf222e;stroke-width:2}
.public .line{stroke:#cf222e;stroke-width:5}
.public .core{fill:none;stroke:#ffffff;stroke-width:2}
.public .arrow{fill:#cf222e}
.public .label,.public .caption{font-weight:700;fill:#a40e26}
.added .box,.added .line{stroke:#1a7f37;stroke-width:3}
.added .arrow{fill:#1a7f37}
.removed .box,.removed .line{stroke:#cf222e;stroke-width:2;stroke-dasharray:7 4}
.removed .arrow{fill:#cf222e}
.changed .box,.changed .line{stroke:#9a6700;stroke-width:2;stroke-dasharray:2 3}
.changed .arrow{fill:#9a6700}
.public.added .line,.public.removed .line,.public.changed .line{stroke-width:5}
@media (prefers-color-scheme:dark){
.page{fill:#0d1117}
text,.label{fill:#f0f6fc}
.head,.caption,.detail{fill:#9198a1}
.frame{fill:#151b23;stroke:#656c76}
.box{fill:#0d1117;stroke:#9198a1}
.inner,.line{stroke:#9198a1}
.arrow{fill:#9198a1}
.public .box,.public .inner,.public .line{stroke:#f85149}
.public .core{stroke:#0d1117}
.public .arrow{fill:#f85149}
.public .label,.public .caption{fill:#ff7b72}
.added .box,.added .line{stroke:#3fb950}
.added .arrow{fill:#3fb950}
.removed .box,.removed .line{stroke:#f85149}
.removed .arrow{fill:#f85149}
.changed .box,.changed .line{stroke:#d29922}
.changed .arrow{fill:#d29922}
}
</style>
)";

std::string classes_of(bool is_public, Change change) {
    std::string out = is_public ? " public" : "";
    if (change != Change::Same) {
        out += fmt::format(" {}", word_of(change));
    }
    return out;
}

// One cluster, with its frame, at an offset.
class SvgWriter {
public:
    SvgWriter(const Graph& graph, const Layout& layout, int x, int y, std::string& out)
        : graph_(graph), layout_(layout), x_(x), y_(y), out_(out) {}

    void write() {
        write_frame();
        for (const PlacedColumn& column : layout_.columns) {
            put("<text class=\"head\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                x_ + column.x + column.width / 2, y_ + kTitleSize,
                xml_text(kColumns[column.column]));
        }
        y_ += kHeadHeight + kFrameTitle;
        for (const PlacedEdge& edge : layout_.edges) {
            write_edge(edge);
        }
        for (const PlacedLabel& label : layout_.labels) {
            const Edge& edge = graph_.edges[label.edge];
            put("<g class=\"edge{}\"><text class=\"label\" x=\"{}\" y=\"{}\" "
                "text-anchor=\"middle\">{}</text></g>\n",
                classes_of(edge.is_public, edge.change), x_ + label.box.x + label.box.width / 2,
                y_ + label.box.middle() + 4, xml_text(label.text));
        }
        for (const PlacedNode& node : layout_.nodes) {
            write_node(node);
        }
    }

private:
    template <typename... Args>
    void put(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    }

    // The columns of what runs in the cluster.
    void write_frame() {
        int left = layout_.width;
        int right = 0;
        for (const PlacedColumn& column : layout_.columns) {
            if (kFirstInCluster <= column.column && column.column <= kLastInCluster) {
                left = std::min(left, column.x);
                right = std::max(right, column.x + column.width);
            }
        }
        if (left >= right) {
            return;
        }
        const int x = x_ + left - kFramePadding;
        const int y = y_ + kHeadHeight - kFramePadding;
        put("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n", x, y,
            right - left + 2 * kFramePadding, layout_.height + kFrameTitle + 2 * kFramePadding);
        const std::string title =
            graph_.cluster.empty() ? "cluster" : fmt::format("cluster {}", graph_.cluster);
        put("<text class=\"title\" x=\"{}\" y=\"{}\">{}</text>\n", x + kFramePadding,
            y + kTitleHeight + 4, xml_text(shortened(title, kMostCharacters)));
    }

    // Leaves room for the arrow at its end.
    [[nodiscard]] std::string path_of(const PlacedEdge& edge) const {
        std::string path;
        for (std::size_t i = 0; i < edge.parts.size(); ++i) {
            auto [from, to] = edge.parts[i];
            from.x += edge.points_left && i == 0 ? kArrowLength : 0;
            to.x -= !edge.points_left && i + 1 == edge.parts.size() ? kArrowLength : 0;
            const int middle = (from.x + to.x) / 2;
            const bool goes_on = i > 0 && edge.parts[i - 1].second.x == from.x;
            if (!goes_on) {
                fmt::format_to(std::back_inserter(path), "M{} {}", x_ + from.x, y_ + from.y);
            }
            if (from.y == to.y) {
                fmt::format_to(std::back_inserter(path), "H{}", x_ + to.x);
            } else {
                fmt::format_to(std::back_inserter(path), "C{} {} {} {} {} {}", x_ + middle,
                               y_ + from.y, x_ + middle, y_ + to.y, x_ + to.x, y_ + to.y);
            }
        }
        return path;
    }

    void write_edge(const PlacedEdge& placed) {
        const Edge& edge = graph_.edges[placed.edge];
        const std::string path = path_of(placed);
        put("<g class=\"edge{}\"><path class=\"line\" d=\"{}\"/>",
            classes_of(edge.is_public, edge.change), path);
        if (edge.is_public) {
            put("<path class=\"core\" d=\"{}\"/>", path);
        }
        const Point tip =
            placed.points_left ? placed.parts.front().first : placed.parts.back().second;
        put("<path class=\"arrow\" d=\"M{} {}l{} -{}v{}z\"/></g>\n", x_ + tip.x, y_ + tip.y,
            placed.points_left ? kArrowLength : -kArrowLength, kArrowHalf, 2 * kArrowHalf);
    }

    // Things outside of the cluster are round, groups have a second line at their sides, what is
    // public a second frame.
    void write_node(const PlacedNode& placed) {
        const Node& node = graph_.nodes[placed.node];
        const Rect& box = placed.box;
        const std::size_t column = node.info().column;
        const bool is_outside = column < kFirstInCluster || column > kLastInCluster;
        put("<g class=\"node{}\"><title>{}</title><rect class=\"box\" x=\"{}\" y=\"{}\" "
            "width=\"{}\" "
            "height=\"{}\" rx=\"{}\"/>",
            classes_of(node.is_public, node.change), xml_text(node.title), x_ + box.x, y_ + box.y,
            box.width, box.height, is_outside ? 14 : 4);
        if (node.is_group()) {
            put("<path class=\"inner\" d=\"M{} {}v{}M{} {}v{}\"/>", x_ + box.x + 5, y_ + box.y,
                box.height, x_ + box.right() - 5, y_ + box.y, box.height);
        }
        if (node.is_public) {
            put("<rect class=\"inner\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"11\"/>",
                x_ + box.x + 4, y_ + box.y + 4, box.width - 8, box.height - 8);
        }
        write_lines(placed);
        out_ += "</g>\n";
    }

    void write_lines(const PlacedNode& placed) {
        const int height =
            static_cast<int>(placed.lines.size() - 1) * kCaptionHeight + kTitleHeight;
        int y = y_ + placed.box.y + (placed.box.height - height) / 2;
        for (std::size_t i = 0; i < placed.lines.size(); ++i) {
            y += i == 1 ? kTitleHeight : kCaptionHeight;
            put("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                i == 0   ? "caption"
                : i == 1 ? "title"
                         : "detail",
                x_ + placed.box.x + placed.box.width / 2, y - 4, xml_text(placed.lines[i]));
        }
    }

    const Graph& graph_;
    const Layout& layout_;
    int x_, y_;
    std::string& out_;
};

// Writes notes above the graphs. Returns the width and the height that they take.
std::pair<int, int> write_svg_notes(const std::vector<std::string>& notes, std::string& out) {
    int width = 0;
    int y = kMargin;
    for (const std::string& note : notes) {
        const std::string line = shortened(on_one_line(note), kMostOfNote);
        width = std::max(width, text_width(line, kCaptionSize, false));
        y += kTitleHeight;
        fmt::format_to(std::back_inserter(out),
                       "<text class=\"label\" x=\"{}\" y=\"{}\">{}</text>\n", kMargin, y - 4,
                       xml_text(line));
    }
    return {width + 2 * kMargin, notes.empty() ? kMargin : y + kMargin};
}

std::string svg_frame(int width, int height, const std::string& content) {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} "
        "{}\" "
        "role=\"img\">\n<title>Who reaches what</title>\n{}"
        "<rect class=\"page\" width=\"{}\" height=\"{}\"/>\n{}</svg>\n",
        width, height, width, height, kStyle, width, height, content);
}

}  // namespace

std::string svg_text_of(const std::vector<Graph>& graphs, const PictureTexts& texts) {
    std::string content;
    const auto [notes_width, top] = write_svg_notes(texts.notes, content);
    int width = texts.notes.empty() ? 0 : notes_width;
    int y = top;
    for (const Graph& graph : graphs) {
        if (graph.nodes.empty()) {
            continue;
        }
        const Layout layout = lay_out(graph);
        SvgWriter(graph, layout, kMargin + kFramePadding, y, content).write();
        width = std::max(width, layout.width + 2 * (kMargin + kFramePadding));
        y += kHeadHeight + kFrameTitle + layout.height + kFramePadding + kClusterGap;
    }
    if (content.empty()) {
        return svg_frame(kEmptyWidth, kEmptyHeight,
                         fmt::format("<text class=\"title\" x=\"{}\" y=\"{}\" "
                                     "text-anchor=\"middle\">{}</text>\n",
                                     kEmptyWidth / 2, kEmptyHeight / 2 + 4, texts.if_empty));
    }
    return svg_frame(width, y == top ? y : y - kClusterGap + kMargin, content);
}

}  // namespace renderer::graph
