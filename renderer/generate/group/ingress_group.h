// Objects that only ingress groups have: the ConfigMap that tells their pods what to serve. The
// controller writes a second one, with addresses that only the tailnet has. Source: tailscale
// v1.96.5 cmd/k8s-operator/{proxygroup_specs,ingress-for-pg,svc-for-pg}.go;
// testdata/contract/ingress.md defines what each of the two writes.
#pragma once

#include "renderer/generate/group/group_config.h"
#include "renderer/generate/model.h"

namespace renderer::generate {

Value ingress_config_map(const plan::Workload& workload, const Offered& offered);

// Returns a volume with both ConfigMaps as one directory.
Value ingress_config_volume(const plan::Workload& workload);

}  // namespace renderer::generate
