// The only edit of a Service that targets the tailnet: `spec.externalName` is set to the name of
// the generated Service. A Service of another type would need more edits, and is refused.
#pragma once

#include <string>
#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"

namespace renderer {

void check_headless(const ServiceInput& service, Diagnostics& diagnostics);
void check_external_name_type(const ServiceInput& service, Diagnostics& diagnostics);

// Returns the edit of that scalar, or of the line if the Service has none. Returns nothing if the
// Service has that name already.
std::vector<Edit> name_target(const ServiceInput& service, const std::string& name,
                              const Loaded& loaded, Diagnostics& diagnostics);

}  // namespace renderer
