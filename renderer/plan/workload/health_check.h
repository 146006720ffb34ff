// Readiness of the pods of single proxies: those of Services, Ingresses and Connectors. The
// contract is testdata/contract/proxy.md.
#pragma once

#include <string_view>
#include <vector>

#include "renderer/plan/workload/workload.h"

namespace renderer {

constexpr std::string_view kHealthCheck = "TS_ENABLE_HEALTH_CHECK";

// A class that moves or switches off the place where a pod answers has the last word.
void plan_health_checks(std::vector<Workload>& workloads);

}  // namespace renderer
