// An Ingress on the tailnet: one proxy that serves HTTPS, for everybody on the internet with
// Funnel. Source: tailscale v1.96.5 cmd/k8s-operator/ingress.go. Where the operator serves the
// good half of an Ingress and logs the bad half, the run is refused.
#pragma once

#include <vector>

#include "renderer/plan/proxy.h"

namespace renderer {

// The first label of the first host of spec.tls, else <namespace>-<name>-ingress.
void plan_ingress_hostname(const IngressInput& ingress, const Settings& settings, ProxyPlan& proxy,
                           Diagnostics& diagnostics);

// Adds to plan.proxies and plan.devices, and to `backends` every Service that it leads to.
void plan_l7_ingress(const IngressInput& ingress, const ProxyInputs& inputs, Plan& plan,
                     std::vector<const ServiceInput*>& backends, Diagnostics& diagnostics);

}  // namespace renderer
