// Generates the objects that enforce a namespace's ProxyGroupPolicies: two
// ValidatingAdmissionPolicies with their bindings. Shapes: tailscale v1.96.5
// k8s-operator/reconciler/proxygrouppolicy.
#pragma once

#include "renderer/generate/model.h"

namespace renderer::generate {

void generate_group_policies(const plan::Plan& plan, Objects& objects);

}  // namespace renderer::generate
