// Whether values of the operator's chart that are not known could hold a setting that matters.
#pragma once

#include <cstddef>

#include "renderer/load/loaded.h"

namespace renderer {

// Decides, when all layers of values are known, which of loaded.unread_values matter, and how.
// `given`: the first layer that the user gave.
void judge_unread_values(std::size_t given, Loaded& loaded);

}  // namespace renderer
