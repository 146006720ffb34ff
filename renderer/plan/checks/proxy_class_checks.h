// What is wrong with a ProxyClass by itself: what the schema of its CRD and the operator's
// controller refuse, and what would break the proxies that use it. Sources: tailscale v1.96.5
// cmd/k8s-operator/proxyclass.go, k8s-operator/apis/v1alpha1/types_proxyclass.go. Not here: clashes
// with other classes (proxy_classes).
#pragma once

#include "renderer/classify/custom_resource.h"
#include "renderer/core/diagnostics.h"
#include "renderer/plan/settings/settings.h"

namespace renderer {

void check_proxy_class(const CustomResource& input, const Settings& settings,
                       Diagnostics& diagnostics);

}  // namespace renderer
