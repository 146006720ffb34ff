// Stage 4: plan -> objects. One free function per feature; each reads its slice of the plan,
// appends objects and decides nothing.
#pragma once

#include <vector>

#include "renderer/core/document.h"
#include "renderer/plan/plan.h"

namespace renderer {

using Objects = std::vector<Object>;

// `threads` 0 means one per core.
Objects generate(const Plan& plan, unsigned threads = 0);

}  // namespace renderer
