// An Ingress on the tailnet: one proxy that serves HTTPS, for everyone on the internet with
// Funnel. Source: tailscale v1.96.5 cmd/k8s-operator/ingress.go. Where the operator serves the
// good half of an Ingress and logs the bad half, the run is refused.
#pragma once

#include <optional>
#include <string_view>

#include "renderer/plan/hostnames.h"
#include "renderer/plan/proxy_inputs.h"
#include "renderer/plan/workload/workload.h"

namespace renderer {

// The first label of the first host of spec.tls, else <namespace>-<name>-ingress. None when the
// namespace is unknown.
std::optional<Hostname> ingress_hostname(const IngressInput& ingress, const Settings& settings,
                                         Diagnostics& diagnostics);

constexpr std::string_view kIngressHostnameAdvice = "change the first host of spec.tls";

Workload plan_l7_ingress(const IngressInput& ingress, const ProxyInputs& inputs,
                         Diagnostics& diagnostics);

}  // namespace renderer
