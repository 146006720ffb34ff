// The ConfigMap that tells the controller which Tailscale Services a group offers. For a group of
// k8s-proxy it also has the configuration of its pods, which the controller completes with data
// that only the tailnet has. Contract: testdata/contract/ingress.md.
#pragma once

#include "renderer/generate/group/group_config.h"
#include "renderer/generate/model.h"

namespace renderer::generate {

Value group_services_map(const plan::Workload& workload, const plan::ProxyGroupPlan& group,
                         const Offered& offered);

}  // namespace renderer::generate
