// The operator's own device, which the pod of the API proxy follows (tailscale v1.96.5
// cmd/k8s-operator/operator.go): its state is in a Secret with the name of its Deployment.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/jobs.h"
#include "runtime/kube/client.h"

namespace runtime::controller {

// The label `parent-resource-type` of that pod's StatefulSet.
inline constexpr std::string_view kApiProxyType = "api-proxy";

// A problem while that Secret has a device, and the proxy with these labels (as a ProxySet's) is
// the one that has its hostname: with a key of its own it would join as `NAME-1`. `adopt` brings it
// the state, unless it `is_apart`; then, or once the Secret is gone, there is none. `parent`:
// Deployment/NAMESPACE/NAME.
Job must_not_come_beside_the_operator(kube::Client& kube, std::string_view labels,
                                      std::string_view parent, bool is_apart);

}  // namespace runtime::controller
