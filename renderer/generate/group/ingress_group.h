// What only ingress groups have: the ConfigMap that tells their pods what to serve. Beside it lies
// one of the controller's, with addresses that only the tailnet knows. Source: tailscale v1.96.5
// cmd/k8s-operator/{proxygroup_specs,ingress-for-pg,svc-for-pg}.go; the split between the two
// writers is testdata/contract/ingress.md.
#pragma once

#include "renderer/generate/group/group_config.h"
#include "renderer/generate/model.h"

namespace renderer {

std::string ingress_config_name(const Workload& workload);
Value ingress_config_map(const Workload& workload, const Offered& offered);

// Both ConfigMaps as one directory.
Value ingress_config_volume(const Workload& workload);

}  // namespace renderer
