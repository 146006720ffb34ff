// Converts diagnostics to the `results` of a KRM function: message, severity, the resource and
// field concerned, and the file that the orchestrator read it from.
#pragma once

#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"
#include "renderer/load/loaded.h"

namespace renderer::emit {

// Returns a list that begins with the results of earlier functions.
Value function_results(const load::Loaded& loaded, const Diagnostics& diagnostics);

}  // namespace renderer::emit
