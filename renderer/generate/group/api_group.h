// The pods of a group of type kube-apiserver: one container, which reads its configuration and
// keeps its state through the Kubernetes API. Source: tailscale v1.96.5
// cmd/k8s-operator/proxygroup_specs.go.
#pragma once

#include "renderer/generate/generate.h"

namespace renderer {

Value api_container(const Workload& workload);

}  // namespace renderer
