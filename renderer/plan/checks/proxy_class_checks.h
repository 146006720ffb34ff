// Checks a ProxyClass alone: what the schema of its CRD and the operator's controller refuse, and
// what would break the proxies that use it. Conflicts with other classes are in proxy_classes.
// Sources: tailscale v1.96.5 cmd/k8s-operator/proxyclass.go,
// k8s-operator/apis/v1alpha1/types_proxyclass.go.
#pragma once

#include "renderer/classify/custom_resource.h"
#include "renderer/core/diagnostics.h"
#include "renderer/plan/settings/settings.h"

namespace renderer::plan {

void check_proxy_class(const classify::CustomResource& input, const Settings& settings,
                       Diagnostics& diagnostics);

}  // namespace renderer::plan
