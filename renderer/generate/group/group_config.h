// The files that the pods of a group read: tailscaled's configuration of each replica, the Services
// that an egress group forwards and those that an ingress group serves. JSON, byte for byte as the
// operator writes it. Source: tailscale v1.96.5
// cmd/k8s-operator/{proxygroup,egress-services,ingress-for-pg}.go, kube/egressservices,
// kube/k8s-proxy/conf, ipn/serve.go.
#pragma once

#include <string>
#include <vector>

#include "renderer/plan/model.h"

namespace renderer::generate {

// The Tailscale Services that a group offers, sorted by hostname.
using Offered = std::vector<const plan::OfferedService*>;
Offered offered_by(const plan::Workload& workload, const plan::Plan& plan);

std::string group_config(const plan::Workload& workload, const plan::ProxyGroupPlan& group,
                         const Offered& offered, std::size_t ordinal);

// Returns the configuration of k8s-proxy in a group of type kube-apiserver, without the fields that
// the controller adds: key and advertisement.
std::string api_config(const plan::Workload& workload, const plan::ProxyGroupPlan& group,
                       const Offered& offered, std::size_t ordinal);

// Returns the serve config of tailscaled beside tailrender-proxy in such a group: tailscaled
// terminates TLS, and forwards the content to tailrender-proxy, which serves the Kubernetes API.
std::string api_serve_config(const Offered& offered);

// Returns the configuration for the members of the group; "" if it has none.
std::string egress_services(const plan::Workload& workload, const plan::Plan& plan);

// Returns the serve config for the Ingresses among the offered Services; "" if there are none.
std::string group_serve_config(const Offered& offered);

}  // namespace renderer::generate
