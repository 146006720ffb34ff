// The nameserver's objects: ServiceAccount, Deployment, Service. The ConfigMap with its records
// belongs to the controller (testdata/contract/nameserver.md). Shapes: tailscale v1.96.5
// cmd/k8s-operator/deploy/manifests/nameserver.
#pragma once

#include "renderer/generate/generate.h"

namespace renderer {

void generate_dns_config(const Plan& plan, Objects& objects);

}  // namespace renderer
