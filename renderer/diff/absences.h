// Lists what a change does not do, so that a reviewer need not infer it from missing lines.
#pragma once

#include <string>

#include "renderer/diff/compare.h"

namespace renderer::diff {

// Returns "nothing becomes public, no pod restarts"; "" if nothing differs.
std::string absences_of(const Comparison& comparison);

}  // namespace renderer::diff
