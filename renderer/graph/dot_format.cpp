#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "renderer/base/markup.h"
#include "renderer/graph/formats.h"
#include "renderer/graph/words.h"

namespace renderer::graph {
namespace {

std::string_view dot_shape(const Node& node) {
    switch (node.info().column) {
        case 0:
            return "hexagon";
        case 1:
            return "oval";
        case 4:
            return "component";
        default:
            return node.is_group() ? "box3d" : "box";
    }
}

std::string dot_label(const Node& node) {
    std::string label;
    for (const std::string& line : lines_of(node)) {
        label += label.empty() ? "" : "\\n";
        label += dot_text(line);
    }
    return label;
}

std::string_view dot_style(bool is_public, Change change) {
    return change == Change::Removed   ? ", style=dashed"
           : change == Change::Changed ? ", style=dotted"
           : is_public                 ? ", style=bold, penwidth=3"
                                       : "";
}

class DotWriter {
public:
    DotWriter(const Graph& graph, std::size_t number, std::string& out)
        : graph_(graph), number_(number), out_(out) {}

    void write() {
        write_nodes(false, "  ");
        fmt::format_to(std::back_inserter(out_),
                       "  subgraph cluster_{} {{\n    label=\"cluster{}\";\n", number_,
                       graph_.cluster.empty() ? "" : " " + dot_text(graph_.cluster));
        write_nodes(true, "    ");
        out_ += "  }\n";
        for (const Edge& edge : graph_.edges) {
            fmt::format_to(std::back_inserter(out_), "  n{}_{} -> n{}_{} [label=\"{}\"{}];\n",
                           number_, edge.from, number_, edge.to, dot_text(label_of(edge)),
                           dot_style(edge.is_public, edge.change));
        }
    }

private:
    void write_nodes(bool in_cluster, std::string_view indent) {
        for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
            const Node& node = graph_.nodes[i];
            const std::size_t column = node.info().column;
            if ((kFirstInCluster <= column && column <= kLastInCluster) == in_cluster) {
                fmt::format_to(std::back_inserter(out_), "{}n{}_{} [label=\"{}\", shape={}{}];\n",
                               indent, number_, i, dot_label(node), dot_shape(node),
                               dot_style(node.is_public, node.change));
            }
        }
    }

    const Graph& graph_;
    std::size_t number_;
    std::string& out_;
};

}  // namespace

std::string dot_text_of(const std::vector<Graph>& graphs) {
    std::string out =
        "digraph tailrender {\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n"
        "  edge [fontname=\"sans-serif\"];\n";
    for (std::size_t i = 0; i < graphs.size(); ++i) {
        DotWriter(graphs[i], i, out).write();
    }
    return out + "}\n";
}

}  // namespace renderer::graph
