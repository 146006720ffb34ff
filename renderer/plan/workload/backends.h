// The targets of an Ingress's paths: which Service and port, and with which scheme. Source:
// tailscale v1.96.5 cmd/k8s-operator/ingress.go, handlersForIngress. A Service that is not among
// the inputs may still exist in the cluster, unless `tailrender.inputs` is `complete`.
#pragma once

#include <string>
#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/plan/group/offered_service.h"
#include "renderer/plan/proxy_inputs.h"

namespace renderer::plan {

struct PlannedBackends {
    std::vector<ServeHandler> handlers;  // sorted by path, unique
    std::string target_text;             // "shop/api:8080, shop/web:80"
    std::vector<const classify::ServiceInput*> services;
};

// The only host that a rule may name; none if the name is empty.
struct ServedHost {
    std::string_view name;
    std::string_view origin;  // "the first of spec.tls"
};

PlannedBackends plan_backends(const classify::IngressInput& ingress, const ServedHost& host,
                              const ProxyInputs& inputs, Diagnostics& diagnostics);

}  // namespace renderer::plan
