// The operator's own device, which the pod of the API proxy replaces (tailscale v1.96.5
// cmd/k8s-operator/operator.go): its state is in a Secret with the name of its Deployment.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/jobs.h"
#include "runtime/kube/client.h"

namespace runtime::controller {

// The label `parent-resource-type` of that pod's StatefulSet.

// Fails while that Secret has a device and the proxy with these labels (as a ProxySet's) is the one
// that gets its hostname: with its own key it would join as `NAME-1`. `adopt` copies the state to
// the proxy, unless it `is_apart`; after that, or once the Secret is deleted, the job succeeds.
// `parent` is Deployment/NAMESPACE/NAME.
Job must_not_come_beside_the_operator(kube::Client& kube, std::string_view labels,
                                      std::string_view parent, bool is_apart);

}  // namespace runtime::controller
