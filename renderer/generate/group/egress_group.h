// Objects that only egress groups have: the ConfigMap with the rules that their pods forward, and
// one ClusterIP Service for each Service that targets the tailnet through them. The Service selects
// the group's pods, so that Kubernetes itself keeps the endpoints. Source: tailscale v1.96.5
// cmd/k8s-operator/egress-services.go.
#pragma once

#include <string>

#include "renderer/generate/model.h"

namespace renderer::generate {

Value egress_config_volume(const plan::Workload& workload);
Value egress_config_map(const plan::Workload& workload, const plan::Plan& plan);

// Generates the Services.
void generate_egress_services(const plan::Plan& plan, Objects& objects);

}  // namespace renderer::generate
