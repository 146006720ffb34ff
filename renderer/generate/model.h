// The objects that generators create.
#pragma once

#include <vector>

#include "renderer/core/document.h"
#include "renderer/plan/model.h"

namespace renderer::generate {

using Objects = std::vector<Object>;

}  // namespace renderer::generate
