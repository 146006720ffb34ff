// Where a value stands that a template or another text has made.
#pragma once

#include "renderer/core/pos.h"
#include "renderer/core/value.h"

namespace renderer {

// Gives the place to the value and to all that is in it.
void set_places(Value& value, Pos pos);

}  // namespace renderer
