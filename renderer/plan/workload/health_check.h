// Readiness of the pods of single proxies: those of Services, Ingresses and Connectors. The
// contract is testdata/contract/proxy.md.
#pragma once

#include <string_view>
#include <vector>

#include "renderer/plan/workload/workload.h"

namespace renderer::plan {

// Sets the readiness probe of each workload, unless its class moves or disables the health check.
void plan_health_checks(std::vector<Workload>& workloads);

}  // namespace renderer::plan
