// Refuses what the Kubernetes API server would refuse in the objects that the plan is based on, at
// the line of the input. Only rules that are cheap to check offline are here; what depends on the
// cluster is left to the API server. Sources: kubernetes pkg/apis/core/validation,
// pkg/apis/networking/validation.
#pragma once

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"

namespace renderer::plan {

void check_object(const classify::ServiceInput& service, Diagnostics& diagnostics);
// Checks an ExternalName Service whose externalName tailrender sets.
void check_egress_object(const classify::ServiceInput& service, Diagnostics& diagnostics);
void check_object(const classify::IngressInput& ingress, Diagnostics& diagnostics);

}  // namespace renderer::plan
