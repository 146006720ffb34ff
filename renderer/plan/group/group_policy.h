// ProxyGroupPolicies: those of a namespace are one list, which the API server enforces. Source of
// the rules: tailscale v1.96.5 k8s-operator/reconciler/proxygrouppolicy.
#pragma once

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/plan/plan.h"
#include "renderer/plan/proxy.h"

namespace renderer {

// Fills plan.group_policies.
void plan_group_policies(const Inventory& inventory, const ProxyInputs& inputs, Plan& plan,
                         Diagnostics& diagnostics);

// Warns of objects that the policies of their namespace deny. `users`: what the plan is built on.
void check_policies(const std::vector<const ParentInput*>& users, const Plan& plan,
                    Diagnostics& diagnostics);

}  // namespace renderer
