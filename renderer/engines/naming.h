// Finds where a value mentions Tailscale.
#pragma once

#include "renderer/core/pos.h"
#include "renderer/core/value.h"

namespace renderer::engines {

// Returns the position of the first text in the value that names Tailscale, unknown if none does.
Pos naming_tailscale(const Value* value);

}  // namespace renderer::engines
