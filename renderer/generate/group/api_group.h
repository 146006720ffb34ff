// The container of k8s-proxy, for pods of a group of type kube-apiserver with the stock image. It
// is the only container, and reads its configuration and keeps its state through the Kubernetes
// API. Source: tailscale v1.96.5 cmd/k8s-operator/proxygroup_specs.go.
#pragma once

#include "renderer/generate/model.h"

namespace renderer::generate {

Value k8s_proxy_container(const plan::Workload& workload);

}  // namespace renderer::generate
