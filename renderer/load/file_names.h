// Checks file names, because they become paths of the output, comments in it and lines of the
// inventory.
#pragma once

#include "renderer/core/diagnostics.h"
#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"

namespace renderer::load {

// Returns false if the name cannot be printed. That is an error, unless no source is written and
// the file does not mention Tailscale.
bool has_usable_name(const engines::InputFile& file, SourceId source, const Loaded& loaded,
                     Diagnostics& diagnostics);

}  // namespace renderer::load
