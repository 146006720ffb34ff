#include "renderer/plan/group_policy.h"

#include <map>

#include "renderer/plan/custom_resources.h"
#include "renderer/plan/parents.h"

namespace renderer {

namespace {

constexpr std::string_view kRule = "group-policy: a ProxyGroupPolicy";

void add_names(const std::vector<TextInput>& names, std::set<std::string>& all) {
    for (const TextInput& name : names) {
        all.emplace(name.text);
    }
}

}  // namespace

void plan_group_policies(const Inventory& inventory, const ProxyInputs& inputs, Plan& plan,
                         Diagnostics& diagnostics) {
    std::map<std::string_view, GroupPolicyPlan> by_namespace;
    for (const GroupPolicyInput& policy : inventory.group_policies) {
        if (!is_rendered(inputs.loaded, *policy.doc)) {
            continue;
        }
        check_custom_resource(policy, diagnostics);
        check_namespace(policy, diagnostics);
        const auto [found, first] = by_namespace.try_emplace(policy.ns);
        GroupPolicyPlan& merged = found->second;
        if (first) {
            merged.origin = {policy.pos(), policy.doc->object_name(), kRule};
            merged.bundle =
                inputs.central_bundle == kNone ? policy.doc->bundle : inputs.central_bundle;
            merged.ns = policy.ns;
        }
        add_names(policy.ingress, merged.ingress);
        add_names(policy.egress, merged.egress);
    }
    for (auto& [ns, merged] : by_namespace) {
        plan.group_policies.push_back(std::move(merged));
    }
}

}  // namespace renderer
