// ProxyGroupPolicies: those of a namespace are one list, which the API server enforces. Source of
// the rules: tailscale v1.96.5 k8s-operator/reconciler/proxygrouppolicy.
#pragma once

#include <vector>

#include "renderer/classify/parent_input.h"
#include "renderer/core/diagnostics.h"
#include "renderer/plan/model.h"

namespace renderer {

struct Inventory;
struct ProxyInputs;

// Sorted by namespace.
std::vector<GroupPolicyPlan> plan_group_policies(const Inventory& inventory,
                                                 const ProxyInputs& inputs,
                                                 Diagnostics& diagnostics);

// Warns of objects that the policies of their namespace deny. `users`: what the plan is built on.
void check_policies(const std::vector<const ParentInput*>& users, const Plan& plan,
                    Diagnostics& diagnostics);

}  // namespace renderer
