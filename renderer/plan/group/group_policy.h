// ProxyGroupPolicies: the policies of one namespace are merged into one list, which the API server
// enforces. Source of the rules: tailscale v1.96.5 k8s-operator/reconciler/proxygrouppolicy.
#pragma once

#include <vector>

#include "renderer/classify/parent_input.h"
#include "renderer/core/diagnostics.h"
#include "renderer/plan/model.h"

namespace renderer::classify {
struct Inventory;
}

namespace renderer::plan {

struct ProxyInputs;

// Returns the policies, sorted by namespace.
std::vector<GroupPolicyPlan> plan_group_policies(const classify::Inventory& inventory,
                                                 const ProxyInputs& inputs,
                                                 Diagnostics& diagnostics);

// Warns of objects that the policies of their namespace deny. `users` are the objects that the plan
// is based on.
void check_policies(const std::vector<const classify::ParentInput*>& users, const Plan& plan,
                    Diagnostics& diagnostics);

}  // namespace renderer::plan
