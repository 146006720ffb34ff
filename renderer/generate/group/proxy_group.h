// What pods of every ProxyGroup have, whatever its type. Source: tailscale v1.96.5
// cmd/k8s-operator/proxygroup_specs.go.
#pragma once

#include "renderer/core/value.h"

namespace renderer {

// A rolling update goes on only when the new pod answers.
Value group_readiness_probe();

constexpr int kHealthPort = 9002;

}  // namespace renderer
