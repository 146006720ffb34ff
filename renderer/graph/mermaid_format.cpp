#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "renderer/base/markup.h"
#include "renderer/graph/formats.h"
#include "renderer/graph/pictures.h"
#include "renderer/graph/words.h"

namespace renderer::graph {
namespace {

// The brackets around a label, which give a node its shape.
std::pair<std::string_view, std::string_view> mermaid_brackets(const Node& node) {
    switch (node.info().column) {
        case 0:
            return {"{{", "}}"};  // hexagon
        case 1:
        case 6:
            return {"([", "])"};  // stadium
        case 2:
            return {"(", ")"};  // rounded
        case 4:
            return {"[/", "/]"};  // parallelogram
        default:
            return node.is_group() ? std::pair{"[[", "]]"} : std::pair{"[", "]"};
    }
}

constexpr std::string_view kMermaidBegin = "```mermaid\nflowchart LR\n";
constexpr std::string_view kMermaidEnd = "```\n";

void write_notes(const std::vector<std::string>& notes, std::string& out) {
    std::string label;
    for (const std::string& note : notes) {
        label += label.empty() ? "" : "<br/>";
        label += mermaid_text(shortened(note, kMostOfNote));
    }
    if (!label.empty()) {
        fmt::format_to(std::back_inserter(out), "  notes[\"{}\"]\n", label);
    }
}

class MermaidWriter {
public:
    MermaidWriter(const Graph& graph, const Picture& picture, std::string& out)
        : graph_(graph), picture_(picture), out_(out) {}

    void write(const std::vector<std::string>& notes) {
        out_ += kMermaidBegin;
        write_notes(notes, out_);
        write_nodes(false, "  ");
        if (has_cluster_nodes()) {
            fmt::format_to(
                std::back_inserter(out_), "  subgraph cluster [\"{}\"]\n",
                graph_.cluster.empty() ? "cluster" : "cluster " + mermaid_text(graph_.cluster));
            write_nodes(true, "    ");
            out_ += "  end\n";
        }
        for (const std::uint32_t index : picture_.edges) {
            write_edge(graph_.edges[index]);
        }
        write_styles();
        out_ += kMermaidEnd;
    }

private:
    static bool is_in_cluster(const Node& node) {
        const std::size_t column = node.info().column;
        return kFirstInCluster <= column && column <= kLastInCluster;
    }

    [[nodiscard]] bool has_cluster_nodes() const {
        for (const std::uint32_t index : picture_.nodes) {
            if (is_in_cluster(graph_.nodes[index])) {
                return true;
            }
        }
        return false;
    }

    void write_nodes(bool in_cluster, std::string_view indent) {
        for (const std::uint32_t index : picture_.nodes) {
            const Node& node = graph_.nodes[index];
            if (is_in_cluster(node) != in_cluster) {
                continue;
            }
            const auto [open, close] = mermaid_brackets(node);
            std::string label;
            for (const std::string& line : lines_of(node)) {
                label += label.empty() ? "" : "<br/>";
                label += mermaid_text(line);
            }
            fmt::format_to(std::back_inserter(out_), "{}n{}{}\"{}\"{}\n", indent, index, open,
                           label, close);
        }
    }

    void write_edge(const Edge& edge) {
        const std::string_view arrow = edge.is_public                   ? "==>"
                                       : edge.change == Change::Removed ? "-.->"
                                                                        : "-->";
        const std::string label = label_of(edge);
        fmt::format_to(std::back_inserter(out_), "  n{} {}{} n{}\n", edge.from, arrow,
                       label.empty() ? "" : fmt::format("|\"{}\"|", mermaid_text(label)), edge.to);
    }

    void write_style(std::string_view name, std::string_view style, auto belongs) {
        std::string names;
        for (const std::uint32_t index : picture_.nodes) {
            if (belongs(graph_.nodes[index])) {
                fmt::format_to(std::back_inserter(names), "{}n{}", names.empty() ? "" : ",", index);
            }
        }
        if (!names.empty()) {
            fmt::format_to(std::back_inserter(out_), "  classDef {} {}\n  class {} {}\n", name,
                           style, names, name);
        }
    }

    void write_styles() {
        write_style("public", "stroke:#cf222e,stroke-width:3px",
                    [](const Node& node) { return node.is_public; });
        write_style("added", "stroke:#1a7f37,stroke-width:3px",
                    [](const Node& node) { return node.change == Change::Added; });
        write_style("removed", "stroke:#cf222e,stroke-dasharray:6 4",
                    [](const Node& node) { return node.change == Change::Removed; });
        write_style("changed", "stroke:#9a6700,stroke-dasharray:2 3",
                    [](const Node& node) { return node.change == Change::Changed; });
    }

    const Graph& graph_;
    const Picture& picture_;
    std::string& out_;
};

// "cluster home, namespace shop (2 of 3)"; "" if there is nothing to tell apart.
std::string heading_of(const Graph& graph, const Picture& picture) {
    std::string out = graph.cluster.empty() ? "" : "cluster " + markdown_text(graph.cluster);
    if (!picture.is_whole) {
        out += out.empty() ? "" : ", ";
        out +=
            picture.ns.empty() ? "without a namespace" : "namespace " + markdown_text(picture.ns);
    }
    if (picture.parts > 1) {
        out += fmt::format(", {} of {}", picture.part, picture.parts);
    }
    return out;
}

}  // namespace

std::string mermaid_text_of(const std::vector<Graph>& graphs, const PictureTexts& texts,
                            std::string_view heading) {
    const std::vector<std::string> none;
    std::string out;
    for (const Graph& graph : graphs) {
        for (const Picture& picture : cut(graph, kMermaidNodes)) {
            const std::string what = heading_of(graph, picture);
            const bool is_first = out.empty();
            out += out.empty() ? "" : "\n";
            out += what.empty() ? "" : fmt::format("{} {}\n\n", heading, what);
            MermaidWriter(graph, picture, out).write(is_first ? texts.notes : none);
        }
    }
    if (out.empty() && !texts.notes.empty()) {
        out += kMermaidBegin;
        write_notes(texts.notes, out);
        out += kMermaidEnd;
    }
    return out.empty() ? fmt::format("{}\n", texts.if_empty) : out;
}

}  // namespace renderer::graph
