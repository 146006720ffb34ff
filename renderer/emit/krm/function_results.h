// Diagnostics -> `results` of a KRM function: message, severity, the resource and the field that
// they are about, the file that the orchestrator read it from.
#pragma once

#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"
#include "renderer/load/loaded.h"

namespace renderer {

// A list; results of functions that ran before come first.
Value function_results(const Loaded& loaded, const Diagnostics& diagnostics);

}  // namespace renderer
