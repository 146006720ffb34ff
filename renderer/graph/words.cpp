#include "renderer/graph/words.h"

#include <fmt/format.h>

#include "renderer/base/markup.h"
#include "renderer/base/printable.h"

namespace renderer::graph {
namespace {

std::string line_of(std::string_view text) {
    return shortened(on_one_line(text), kMostCharacters);
}

}  // namespace

std::string caption_of(const Node& node) {
    std::string out(info_of(node.kind).caption);
    if (node.is_public && node.kind != NodeKind::Internet) {
        out += ", PUBLIC";
    }
    if (node.change != Change::Same) {
        out += fmt::format(", {}", word_of(node.change));
    }
    return out;
}

std::vector<std::string> lines_of(const Node& node) {
    std::vector<std::string> lines = {caption_of(node), line_of(node.title)};
    for (const std::string& detail : node.details) {
        lines.push_back(line_of(detail));
    }
    return lines;
}

std::string label_of(const Edge& edge) {
    std::string out = line_of(edge.text());
    if (edge.change != Change::Same) {
        out += fmt::format("{}{}", out.empty() ? "" : ", ", word_of(edge.change));
    }
    return out;
}

}  // namespace renderer::graph
