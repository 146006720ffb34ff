// Writes graphs, one per cluster. Each format escapes what is from the tree by one function of
// base/markup.h. All end with a newline, and the same graphs give the same bytes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "renderer/graph/model.h"

namespace renderer::graph {

constexpr std::size_t kMermaidNodes = 60;  // GitHub draws more, but no one can read it

// Markdown with one fenced block per picture.
std::string mermaid_text_of(const std::vector<Graph>& graphs);

// One digraph with all clusters.
std::string dot_text_of(const std::vector<Graph>& graphs);

// One picture with all clusters, for light and dark backgrounds.
std::string svg_text_of(const std::vector<Graph>& graphs);

// docs/formats.md describes it.
std::string json_text_of(const std::vector<Graph>& graphs);

}  // namespace renderer::graph
