// Decides whether values of the operator's chart that cannot be read could hold a setting that
// matters.
#pragma once

#include <cstddef>

#include "renderer/load/loaded.h"

namespace renderer::load {

// Keeps those of `loaded.unread_values` that matter, and sets their diagnostics. All layers of
// values must be loaded. `given` is the index of the first layer that the user gave.
void judge_unread_values(std::size_t given, Loaded& loaded);

}  // namespace renderer::load
