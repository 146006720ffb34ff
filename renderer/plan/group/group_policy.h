// ProxyGroupPolicies: those of a namespace are one list, which the API server enforces. Source of
// the rules: tailscale v1.96.5 k8s-operator/reconciler/proxygrouppolicy.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "renderer/classify/parent_input.h"
#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"

namespace renderer {

struct Inventory;
struct Plan;
struct ProxyInputs;

struct GroupPolicyPlan {
    Origin origin;  // the first of the namespace's policies
    std::uint32_t bundle = 0;
    std::string ns;
    std::set<std::string> ingress, egress;  // names of ProxyGroups; empty: none is allowed
};

// Sorted by namespace.
std::vector<GroupPolicyPlan> plan_group_policies(const Inventory& inventory,
                                                 const ProxyInputs& inputs,
                                                 Diagnostics& diagnostics);

// Warns of objects that the policies of their namespace deny. `users`: what the plan is built on.
void check_policies(const std::vector<const ParentInput*>& users, const Plan& plan,
                    Diagnostics& diagnostics);

}  // namespace renderer
