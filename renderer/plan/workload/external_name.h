// The only edit of a Service that targets the tailnet: `spec.externalName` is set to the name of
// the generated Service. A Service of another type would need more edits, and is refused.
#pragma once

#include <string>
#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"

namespace renderer::plan {

void check_headless(const classify::ServiceInput& service, Diagnostics& diagnostics);
void check_external_name_type(const classify::ServiceInput& service, Diagnostics& diagnostics);

// Returns the edit of that scalar, or of the line if the Service has none. Returns nothing if the
// Service has that name already.
std::vector<Edit> name_target(const classify::ServiceInput& service, const std::string& name,
                              const load::Loaded& loaded, Diagnostics& diagnostics);

}  // namespace renderer::plan
