// The nameserver's objects: ServiceAccount, Deployment, Service. The ConfigMap with its records
// belongs to the controller (testdata/contract/nameserver.md). Shapes: tailscale v1.96.5
// cmd/k8s-operator/deploy/manifests/nameserver.
#pragma once

#include "renderer/generate/generate.h"

namespace renderer {

// `pull_secrets`: the chart's, since the image is our own; nullptr or not a list: none.
void generate_dns_config(const Workload& workload, const NameserverPlan& nameserver,
                         const Value* pull_secrets, Objects& objects);

}  // namespace renderer
