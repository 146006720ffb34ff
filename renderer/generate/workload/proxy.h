// The proxy of one Service, Ingress or Connector: what every workload has, and a headless Service.
// Source: tailscale v1.96.5 cmd/k8s-operator/sts.go and
// deploy/manifests/{proxy,userspace-proxy}.yaml; the intended differences are in
// renderer/PARITY.md.
#pragma once

#include "renderer/generate/generate.h"

namespace renderer {

void generate_proxy(const Workload& workload, const ProxyPlan& proxy, Objects& objects);

}  // namespace renderer
