// What a cluster needs besides proxies: namespace, controller, RBAC, IngressClass, credentials.
// Decides whether any of it is emitted (an operator must be among the inputs), where, and what the
// chart's own documents turn into. Source: tailscale v1.96.5 cmd/k8s-operator/deploy/chart.
#pragma once

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/model.h"
#include "renderer/plan/settings/settings.h"

namespace renderer::plan {

Installation plan_install(const load::Loaded& loaded, const classify::Inventory& inventory,
                          const Settings& settings, Diagnostics& diagnostics);

}  // namespace renderer::plan
