// What the Kubernetes API server would refuse of the objects that we build on: it is reported at
// its line now, not by the applier later. Only rules that cost nothing to check offline; what
// depends on the cluster stays the API server's. Sources: kubernetes pkg/apis/core/validation,
// pkg/apis/networking/validation.
#pragma once

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"

namespace renderer {

void check_object(const ServiceInput& service, Diagnostics& diagnostics);
// For an ExternalName Service whose name we fill in.
void check_egress_object(const ServiceInput& service, Diagnostics& diagnostics);
void check_object(const IngressInput& ingress, Diagnostics& diagnostics);

}  // namespace renderer
