// The one word that we write into a Service that targets the tailnet: `spec.externalName`, the
// name of the Service that we make for it. Refuses what would need more than that word: a Service
// of another type.
#pragma once

#include <string>
#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"

namespace renderer {

void check_headless(const ServiceInput& service, Diagnostics& diagnostics);
void check_external_name_type(const ServiceInput& service, Diagnostics& diagnostics);

// One scalar, spliced; a Service without one gets the line. Nothing when it has that name already.
std::vector<Edit> name_target(const ServiceInput& service, const std::string& name,
                              const Loaded& loaded, Diagnostics& diagnostics);

}  // namespace renderer
