// What a change means, in a few lines beside the picture of it: what becomes public, who gains and
// loses what, which devices and pods are others, and what the policy lacks. The reports say more.
#pragma once

#include <string>
#include <vector>

#include "renderer/diff/compare.h"

namespace renderer::diff {

// Returns plain text; a format escapes it. Nothing if the picture draws nothing (`is_drawn`) and
// the policy changes nothing either.
std::vector<std::string> picture_notes(const Comparison& comparison, bool is_drawn);

}  // namespace renderer::diff
