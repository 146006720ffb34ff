// Positions of values that are made by a template or read from another text.
#pragma once

#include "renderer/core/pos.h"
#include "renderer/core/value.h"

namespace renderer::engines {

// Sets the position of the value and of everything in it.
void set_places(Value& value, Pos pos);

}  // namespace renderer::engines
