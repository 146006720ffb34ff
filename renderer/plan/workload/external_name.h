// The one word that we write into a Service which leads to the tailnet: `spec.externalName`, the
// name of the Service that we make for it. Refuses what would need more than that word: a Service
// of another type.
#pragma once

#include <string>

#include "renderer/plan/plan.h"
#include "renderer/plan/proxy.h"

namespace renderer {

void check_headless(const ServiceInput& service, Diagnostics& diagnostics);
void check_external_name_type(const ServiceInput& service, Diagnostics& diagnostics);

// One scalar, spliced; a Service without one gets the line.
void lead_to(const ServiceInput& service, const std::string& name, const ProxyInputs& inputs,
             Plan& plan, Diagnostics& diagnostics);

}  // namespace renderer
