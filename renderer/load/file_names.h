// Names of files become paths of the output, comments in it and lines of the inventory.
#pragma once

#include "renderer/core/diagnostics.h"
#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"

namespace renderer {

// False: it cannot be printed. An error, unless the file is not about Tailscale and no source is
// written.
bool has_usable_name(const InputFile& file, SourceId source, const Loaded& loaded,
                     Diagnostics& diagnostics);

}  // namespace renderer
