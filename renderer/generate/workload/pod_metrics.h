// Generates Services and ServiceMonitors for the metrics of proxies (generator `metrics`). Source:
// tailscale v1.96.5 cmd/k8s-operator/metrics_resources.go.
#pragma once

#include "renderer/generate/model.h"

namespace renderer::generate {

void generate_metrics(const plan::Plan& plan, Objects& objects);

}  // namespace renderer::generate
