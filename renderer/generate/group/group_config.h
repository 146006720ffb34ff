// The texts that the pods of a group read: tailscaled's configuration of each replica, what an
// egress group forwards and what an ingress group serves. JSON, byte for byte as the operator
// writes it. Source: tailscale v1.96.5 cmd/k8s-operator/{proxygroup,egress-services,
// ingress-for-pg}.go, kube/egressservices, kube/k8s-proxy/conf, ipn/serve.go.
#pragma once

#include <string>
#include <vector>

#include "renderer/plan/model.h"

namespace renderer {

// What the group offers, sorted by hostname.
using Offered = std::vector<const OfferedService*>;
Offered offered_by(const Workload& workload, const Plan& plan);

std::string group_config(const Workload& workload, const ProxyGroupPlan& group,
                         const Offered& offered, std::size_t ordinal);

// For k8s-proxy in a group of type kube-apiserver, without what the controller adds: key and
// advertisement.
std::string api_config(const Workload& workload, const ProxyGroupPlan& group,
                       const Offered& offered, std::size_t ordinal);

// What tailscaled serves beside tailrender-proxy in such a group: TLS ends there, and what is in it
// is the Kubernetes API's.
std::string api_serve_config(const Offered& offered);

// Of the members of the group; "" when it has none.
std::string egress_services(const Workload& workload, const Plan& plan);

// Of the Ingresses among what is offered; "" when there is none.
std::string group_serve_config(const Offered& offered);

}  // namespace renderer
