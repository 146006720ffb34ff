// Writes graphs, one per cluster. Each format escapes what is from the tree by one function of
// base/markup.h. All end with a newline, and the same graphs give the same bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/json.h"
#include "renderer/graph/model.h"

namespace renderer::graph {

// The two sides of a change, as the user typed them. Graphs then have both, with their changes.
struct Sides {
    std::string base, head;
};

constexpr std::size_t kMermaidNodes = 60;  // GitHub draws more, but no one can read it

// What a picture says if there is nothing to draw.
constexpr std::string_view kNoDevices = "no devices", kNoChange = "nothing differs";

// What a picture says besides its graphs.
struct PictureTexts {
    std::string_view if_empty = kNoDevices;  // if there is nothing else
    std::vector<std::string> notes = {};     // what a change means
};

// Markdown with one fenced block per picture; notes are in the first one. `heading` begins the line
// that tells pictures apart.
std::string mermaid_text_of(const std::vector<Graph>& graphs, const PictureTexts& texts = {},
                            std::string_view heading = "##");

// One digraph with all clusters.
std::string dot_text_of(const std::vector<Graph>& graphs);

// One picture with all clusters, for light and dark backgrounds; notes are above them.
std::string svg_text_of(const std::vector<Graph>& graphs, const PictureTexts& texts = {});

// The report for programs, which docs/formats.md describes, in pieces that follow each other.
class JsonReport {
public:
    std::string begin(const std::optional<Sides>& sides);
    std::string add(const Graph& graph);
    std::string end();

private:
    JsonPieces pieces_;
};

}  // namespace renderer::graph
