#include "renderer/plan/group/group_policy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "renderer/contract/annotations.h"
#include "renderer/plan/annotations.h"
#include "renderer/plan/custom_resources.h"
#include "renderer/plan/model.h"
#include "renderer/plan/parents.h"
#include "renderer/plan/start_workload.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kGroupPolicyRule = "group-policy: a ProxyGroupPolicy";

void add_names(const std::vector<classify::TextInput>& names, std::set<std::string>& all) {
    for (const classify::TextInput& name : names) {
        all.emplace(name.text);
    }
}

bool is_egress(const classify::ParentInput& user) {
    return user.doc->kind.text() == "Service" &&
           (!annotation_text(user, annotation::kTailnetIp).empty() ||
            !annotation_text(user, annotation::kTailnetFqdn).empty());
}

void check_user(const classify::ParentInput& user, const GroupPolicyPlan& policy,
                Diagnostics& diagnostics) {
    const std::string group(annotation_text(user, annotation::kProxyGroup));
    const std::set<std::string>& allowed = is_egress(user) ? policy.egress : policy.ingress;
    if (group.empty() || allowed.contains(group)) {
        return;
    }
    classify::about(user, diagnostics)
        .warning("denied-by-policy", user.annotation(annotation::kProxyGroup)->pos(),
                 "the API server will deny this: the ProxyGroupPolicies of its namespace do not "
                 "allow the group")
        .found(fmt::format("\"{}\"", group))
        .expected(allowed.empty()
                      ? fmt::format("no group for {}", is_egress(user) ? "egress" : "ingress")
                      : fmt::format("one of {{ {} }}", fmt::join(allowed, ", ")))
        .note({.pos = policy.origin.pos,
               .object = policy.origin.parent,
               .text = "is the first of them"});
}

}  // namespace

void check_policies(const std::vector<const classify::ParentInput*>& users, const Plan& plan,
                    Diagnostics& diagnostics) {
    for (const classify::ParentInput* user : users) {
        const auto policy =
            std::ranges::lower_bound(plan.group_policies, user->ns, {}, &GroupPolicyPlan::ns);
        if (policy != plan.group_policies.end() && policy->ns == user->ns) {
            check_user(*user, *policy, diagnostics);
        }
    }
}

std::vector<GroupPolicyPlan> plan_group_policies(const classify::Inventory& inventory,
                                                 const ProxyInputs& inputs,
                                                 Diagnostics& diagnostics) {
    std::map<std::string_view, GroupPolicyPlan> by_namespace;
    for (const classify::CustomResource& policy : inventory.of(kind_of("ProxyGroupPolicy"))) {
        if (!is_rendered(inputs.loaded, *policy.doc)) {
            continue;
        }
        check_custom_resource(policy, diagnostics);
        check_namespace(policy, inputs.loaded, diagnostics);
        const auto [found, first] = by_namespace.try_emplace(policy.ns);
        GroupPolicyPlan& merged = found->second;
        if (first) {
            merged.origin = {policy.pos(), policy.doc->object_name(), kGroupPolicyRule};
            merged.bundle = inputs.bundle_of(*policy.doc);
            merged.ns = policy.ns;
        }
        add_names(policy.fields().texts("ingress"), merged.ingress);
        add_names(policy.fields().texts("egress"), merged.egress);
    }
    std::vector<GroupPolicyPlan> policies;
    policies.reserve(by_namespace.size());
    for (auto& [ns, merged] : by_namespace) {
        policies.push_back(std::move(merged));
    }
    return policies;
}

}  // namespace renderer::plan
