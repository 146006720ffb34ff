// Which proxies get a metrics Service, and a ServiceMonitor with it. Source: tailscale v1.96.5
// cmd/k8s-operator/metrics_resources.go.
#pragma once

#include "renderer/core/diagnostics.h"
#include "renderer/plan/plan.h"

namespace renderer {

// Whether its pod can answer on ports of its own: not where every port leads on to the target.
bool serves_endpoints(const ProxyPlan& proxy);

// "ts_ingress_service_shop_web"; `ns` may be empty.
std::string metrics_job(std::string_view proxy_type, std::string_view ns, std::string_view name);

// For the proxies and groups of the plan whose class says so. The name of a job must fit into a
// label.
void plan_metrics(Plan& plan, Diagnostics& diagnostics);

}  // namespace renderer
