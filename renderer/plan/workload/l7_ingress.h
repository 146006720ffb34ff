// An Ingress on the tailnet: one proxy that serves HTTPS, with Funnel for everyone on the internet.
// Source: tailscale v1.96.5 cmd/k8s-operator/ingress.go. If only a part of an Ingress is valid, the
// operator serves that part and logs the rest; tailrender refuses the run.
#pragma once

#include <optional>
#include <string_view>

#include "renderer/plan/hostnames.h"
#include "renderer/plan/proxy_inputs.h"
#include "renderer/plan/workload/workload.h"

namespace renderer::plan {

// Returns the first label of the first host of spec.tls, else <namespace>-<name>-ingress. Returns
// none if the namespace is unknown.
std::optional<Hostname> ingress_hostname(const classify::IngressInput& ingress,
                                         const Settings& settings, Diagnostics& diagnostics);

constexpr std::string_view kIngressHostnameAdvice = "change the first host of spec.tls";

Workload plan_l7_ingress(const classify::IngressInput& ingress, const ProxyInputs& inputs,
                         Diagnostics& diagnostics);

}  // namespace renderer::plan
