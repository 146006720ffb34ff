// Decides which proxies get a metrics Service, and a ServiceMonitor with it. Source: tailscale
// v1.96.5 cmd/k8s-operator/metrics_resources.go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/plan/workload/metrics_plan.h"
#include "renderer/plan/workload/workload.h"

namespace renderer::plan {

// Returns "ts_ingress_service_shop_web"; `ns` may be empty.
std::string metrics_job(std::string_view proxy_type, std::string_view ns, std::string_view name);

// Returns the metrics of the workloads whose class enables them. Reports a job name that does not
// fit into a label.
std::vector<MetricsPlan> plan_metrics(const std::vector<Workload>& workloads,
                                      Diagnostics& diagnostics);

}  // namespace renderer::plan
