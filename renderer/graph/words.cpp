#include "renderer/graph/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "renderer/base/markup.h"
#include "renderer/base/printable.h"

namespace renderer::graph {
namespace {

std::string line_of(std::string_view text) {
    return shortened(on_one_line(text), kMostCharacters);
}

// What is not a device, a proxy or offered by one may be there on both sides, connected on one.
bool may_be_on_both_sides(NodeKind kind) {
    constexpr std::array kKinds = {
        NodeKind::Internet, NodeKind::Tailnet,       NodeKind::TailnetTarget,
        NodeKind::Service,  NodeKind::KubernetesApi, NodeKind::Workload,
        NodeKind::Pods,     NodeKind::DnsName,       NodeKind::Storage};
    return std::ranges::find(kKinds, kind) != kKinds.end();
}

std::string_view change_of(const Node& node) {
    if (!may_be_on_both_sides(node.kind) || node.change == Change::Changed) {
        return word_of(node.change);
    }
    return node.change == Change::Added ? "newly connected" : "no longer connected";
}

}  // namespace

std::string caption_of(const Node& node) {
    std::string out(node.info().caption);
    if (node.is_public && node.kind != NodeKind::Internet) {
        out += ", PUBLIC";
    }
    if (node.change != Change::Same) {
        out += fmt::format(", {}", change_of(node));
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
