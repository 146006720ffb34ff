// Checks all names of generated objects, because they become names of files and directories.
#include <fmt/format.h>

#include "renderer/base/printable.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/plan/checks/cross_checks.h"

namespace renderer::plan {
namespace {

void check_made_namespace(const Origin& origin, std::string_view ns, Diagnostics& diagnostics) {
    if (!ns.empty() && !is_dns1123_label(ns) && !holds_variable(ns)) {
        diagnostics
            .error("invalid-namespace", origin.pos, fmt::format("invalid namespace \"{}\"", ns))
            .object(origin.parent)
            .expected(kDnsLabelGrammar)
            .hint("objects are made in this namespace: use the name of one");
    }
}

void check_generated(const Object& object, Diagnostics& diagnostics) {
    const Origin named = {.pos = object.origin.pos, .parent = object.object_name(), .rule = {}};
    check_made_namespace(named, object.ns(), diagnostics);
    if (!is_dns1123_subdomain(object.name()) && !holds_variable(object.name())) {
        diagnostics
            .error("invalid-object", object.origin.pos,
                   fmt::format("invalid name \"{}\"", object.name()))
            .object(named.parent)
            .expected("lower-case letters, digits, \"-\" and \".\", at most 253")
            .hint("choose another name for the generator");
    }
}

}  // namespace

void check_made_names(const load::Loaded& loaded, const Plan& plan, Diagnostics& diagnostics) {
    if (!loaded.only_generated) {  // otherwise they are not written
        for (const Object& object : loaded.generated_inputs) {
            check_generated(object, diagnostics);
        }
    }
    if (diagnostics.has_errors()) {
        return;  // most other invalid names were reported at their input
    }
    for (const Workload& workload : plan.workloads) {
        check_made_namespace(workload.origin, workload.ns, diagnostics);
    }
    for (const MetricsPlan& metrics : plan.metrics) {
        check_made_namespace(metrics.origin, metrics.ns, diagnostics);
    }
    for (const GroupPolicyPlan& policy : plan.group_policies) {
        check_made_namespace(policy.origin, policy.ns, diagnostics);
    }
    for (const TailnetPlan& tailnet : plan.tailnets) {
        check_made_namespace(tailnet.origin, tailnet.ns, diagnostics);
    }
    if (plan.install) {
        check_made_namespace(plan.install->origin, plan.install->ns, diagnostics);
    }
}

}  // namespace renderer::plan
