// The ConfigMap that tells the controller which Tailscale Services a group offers, and for a group
// of k8s-proxy also the configuration of its pods, which the controller completes with what only
// the tailnet knows. Contract: testdata/contract/ingress.md.
#pragma once

#include "renderer/generate/group/group_config.h"
#include "renderer/generate/model.h"

namespace renderer {

Value group_services_map(const Workload& workload, const ProxyGroupPlan& group,
                         const Offered& offered);

}  // namespace renderer
