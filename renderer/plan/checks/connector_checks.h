// Refuses what the API server refuses in a Connector by its CRD, and what the operator refuses
// right away. Sources: tailscale v1.96.5 k8s-operator/apis/v1alpha1/types_connector.go,
// cmd/k8s-operator/connector.go.
#pragma once

#include "renderer/core/diagnostics.h"
#include "renderer/plan/workload/connector_input.h"

namespace renderer::plan {

void check_object(const ConnectorInput& connector, Diagnostics& diagnostics);

}  // namespace renderer::plan
