// The texts of nodes, in the form that all pictures share.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "renderer/graph/model.h"

namespace renderer::graph {

constexpr std::size_t kMostCharacters = 48;  // of one line
constexpr std::size_t kMostOfNote = 120;

// "device, PUBLIC, added": the caption, and what else a picture must not say by colour alone.
std::string caption_of(const Node& node);

// Returns caption, title and details, each shortened to one line of a picture.
std::vector<std::string> lines_of(const Node& node);

// Returns the labels of an edge and its change; "" if there is nothing to say.
std::string label_of(const Edge& edge);

}  // namespace renderer::graph
