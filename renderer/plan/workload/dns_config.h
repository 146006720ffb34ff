// The nameserver that answers for ts.net names inside the cluster, from a DNSConfig. A cluster has
// one. Source of the rules: tailscale v1.96.5 cmd/k8s-operator/nameserver.go.
#pragma once

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/plan/plan.h"
#include "renderer/plan/proxy.h"

namespace renderer {

// Fills plan.dns_config.
void plan_dns_config(const Inventory& inventory, const ProxyInputs& inputs, Plan& plan,
                     Diagnostics& diagnostics);

}  // namespace renderer
