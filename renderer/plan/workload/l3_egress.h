// Services that target a device of the tailnet (layer 3, one proxy each): the user's ExternalName
// Service becomes an alias of the proxy's headless Service, which is the only thing that we write
// into it. Source: tailscale v1.96.5 cmd/k8s-operator/svc.go. Refuses what would need more than
// that one word: a Service of another type.
#pragma once

#include "renderer/plan/proxy_inputs.h"
#include "renderer/plan/workload/workload.h"

namespace renderer {

Workload plan_l3_egress(const ServiceInput& service, const ProxyInputs& inputs,
                        Diagnostics& diagnostics);

}  // namespace renderer
