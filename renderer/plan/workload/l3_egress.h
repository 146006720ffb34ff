// Services that target a device of the tailnet (layer 3, one proxy each): the user's ExternalName
// Service becomes an alias of the proxy's headless Service. Only its `spec.externalName` changes.
// Source: tailscale v1.96.5 cmd/k8s-operator/svc.go. A Service of another type would need more
// edits, and is refused.
#pragma once

#include "renderer/plan/proxy_inputs.h"
#include "renderer/plan/workload/workload.h"

namespace renderer::plan {

Workload plan_l3_egress(const classify::ServiceInput& service, const ProxyInputs& inputs,
                        Diagnostics& diagnostics);

}  // namespace renderer::plan
