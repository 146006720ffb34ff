// k8s-proxy, the pods of a group of type kube-apiserver with the stock image: one container, which
// reads its configuration and keeps its state through the Kubernetes API. Source: tailscale v1.96.5
// cmd/k8s-operator/proxygroup_specs.go.
#pragma once

#include "renderer/generate/model.h"

namespace renderer {

Value k8s_proxy_container(const Workload& workload);

}  // namespace renderer
