#include "renderer/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "renderer/kube/name_grammar.h"
#include "renderer/load/splice.h"
#include "renderer/plan/checks/cross_checks.h"
#include "renderer/plan/checks/object_checks.h"
#include "renderer/plan/custom_resources.h"
#include "renderer/plan/group/egress_group.h"
#include "renderer/plan/group/group_policy.h"
#include "renderer/plan/group/ingress_group.h"
#include "renderer/plan/group/proxy_group.h"
#include "renderer/plan/group/static_endpoints.h"
#include "renderer/plan/install/install.h"
#include "renderer/plan/parents.h"
#include "renderer/plan/tailnets.h"
#include "renderer/plan/versions.h"
#include "renderer/plan/workload/connector.h"
#include "renderer/plan/workload/dns_config.h"
#include "renderer/plan/workload/l3_egress.h"
#include "renderer/plan/workload/l3_ingress.h"
#include "renderer/plan/workload/l7_ingress.h"
#include "renderer/plan/workload/metrics.h"
#include "renderer/plan/workload/recorder.h"

namespace renderer {

namespace {

// Where the operator is: it gives the generated objects their namespace.
struct OperatorNamespace {
    std::string name;
    Pos pos;
    std::string object = {};
};

OperatorNamespace operator_namespace(const Loaded& loaded, const OperatorInput& reference) {
    if (const Document* deployment = reference.deployment) {
        const Pos pos = deployment->ns.pos();
        return {.name = deployment->effective_namespace,
                .pos = pos.known() ? pos : deployment->kind.pos(),
                .object = deployment->object_name()};
    }
    if (!loaded.operator_bundle) {
        return {};
    }
    const Bundle& bundle = loaded.bundles[*loaded.operator_bundle];
    return bundle.forced_namespace.empty()
               ? OperatorNamespace{.name = bundle.default_namespace, .pos = bundle.pos}
               : OperatorNamespace{.name = bundle.forced_namespace,
                                   .pos = bundle.forced_namespace_pos};
}

Settings plan_settings(const Loaded& loaded, const OperatorInput& reference,
                       Diagnostics& diagnostics) {
    std::vector<const Value*> layers = {&reference.values};
    for (const Value& values : loaded.values) {
        layers.push_back(&values);
    }
    std::string app_version;
    if (loaded.operator_bundle && !loaded.bundles[*loaded.operator_bundle].chart_version.empty()) {
        app_version = "v" + loaded.bundles[*loaded.operator_bundle].chart_version;
    }
    const OperatorNamespace home = operator_namespace(loaded, reference);
    if (!home.name.empty() && !is_dns1123_label(home.name)) {
        diagnostics.add({.rule = "invalid-object",
                         .pos = home.pos,
                         .object = home.object,
                         .message = fmt::format("invalid namespace \"{}\"", home.name),
                         .expected = std::string(kDnsLabelGrammar)});
    }
    return decode_settings(layers, home.name, app_version, diagnostics);
}

// Placement `central`: the operator's bundle. kNone: each proxy goes to its parent's.
std::uint32_t central_bundle(const Loaded& loaded, const OperatorInput& reference,
                             const Settings& settings, Diagnostics& diagnostics) {
    if (settings.placement == Placement::Parent) {
        return kNone;
    }
    if (reference.deployment != nullptr) {
        return reference.deployment->bundle;
    }
    if (loaded.operator_bundle) {
        return *loaded.operator_bundle;
    }
    if (loaded.bundles.size() == 1) {
        return 0;
    }
    Pos place;
    for (const Value& layer : loaded.values) {
        const Value* setting = layer.at({"tailrender", "placement"});
        place = setting == nullptr ? place : setting->pos();
    }
    diagnostics.add({.rule = "no-operator-bundle",
                     .pos = place,
                     .message = "no bundle in the inputs has the operator",
                     .expected = "a bundle for generated objects: one with the operator's chart in "
                                 "fleet.yaml, or with its manifest",
                     .hint = "set \"tailrender.placement: parent\""});
    return kNone;
}

// A backend that the API server refuses leaves the proxy without one. Those that are parents have
// been checked; facts (--context) are someone else's.
void check_backends(const Loaded& loaded, const Parents& parents,
                    std::vector<const ServiceInput*> backends,
                    std::vector<const ParentInput*>& consumed, Diagnostics& diagnostics) {
    std::vector<const ServiceInput*> checked = parents.services;
    checked.insert(checked.end(), parents.members.begin(), parents.members.end());
    checked.insert(checked.end(), parents.group_services.begin(), parents.group_services.end());
    std::ranges::sort(checked);
    std::ranges::sort(backends);
    backends.erase(std::unique(backends.begin(), backends.end()), backends.end());
    for (const ServiceInput* backend : backends) {
        consumed.push_back(backend);
        if (is_rendered(loaded, *backend->doc) && !std::ranges::binary_search(checked, backend)) {
            report_faults(*backend, diagnostics);
            check_object(*backend, diagnostics);
        }
    }
}

// Returns the objects that the plan is built on.
std::vector<const ParentInput*> plan_proxies(const Inventory& inventory, const Parents& parents,
                                             const ProxyInputs& inputs, Plan& plan,
                                             Diagnostics& diagnostics) {
    std::vector<const ParentInput*> consumed;
    std::vector<const ServiceInput*> backends;
    plan.proxies.reserve(inventory.connectors.size() + parents.services.size() +
                         parents.ingresses.size());
    plan_connectors(inventory, inputs, plan, diagnostics);
    for (const IngressInput* ingress : parents.ingresses) {
        check_object(*ingress, diagnostics);
        if (ingress->served) {
            plan_l7_ingress(*ingress, inputs, plan, backends, diagnostics);
            consumed.push_back(ingress);
        }
    }
    const std::size_t other_edits = plan.edits.size();
    for (const ServiceInput* service : parents.services) {
        if (is_exposed(*service, inputs.settings)) {
            check_object(*service, diagnostics);
            plan_l3_ingress(*service, inputs, plan, diagnostics);
        } else {
            plan_l3_egress(*service, inputs, plan, diagnostics);
        }
        consumed.push_back(service);
    }
    const GroupIndex groups(inventory);
    plan_proxy_groups(groups, inputs, plan, diagnostics);
    plan_static_endpoints(inputs.loaded, inventory, plan, diagnostics);
    plan_egress_members(parents.members, groups, inputs, plan, diagnostics);
    plan_ingress_members(parents, groups, inputs, plan, backends, diagnostics);
    for (const auto* taken : {&parents.members, &parents.group_services}) {
        consumed.insert(consumed.end(), taken->begin(), taken->end());
    }
    consumed.insert(consumed.end(), parents.group_ingresses.begin(), parents.group_ingresses.end());
    check_edits(inputs.loaded.sources, std::span(plan.edits).subspan(other_edits), diagnostics);
    check_backends(inputs.loaded, parents, std::move(backends), consumed, diagnostics);
    return consumed;
}

}  // namespace

Plan plan(const Loaded& loaded, const Inventory& inventory, Diagnostics& diagnostics) {
    Plan plan;
    plan.edits = loaded.edits;
    plan.settings = plan_settings(loaded, inventory.reference, diagnostics);
    plan_install(loaded, inventory, plan.settings, plan, diagnostics);

    plan_custom_resources(loaded, inventory, plan.settings, plan, diagnostics);
    const Parents parents = find_parents(loaded, inventory, plan.settings, diagnostics);
    const ServiceIndex services(inventory);
    Tailnets tailnets(loaded, inventory, plan.settings);
    ProxyClasses classes(loaded, inventory, plan);
    const ProxyInputs inputs = {
        .loaded = loaded,
        .settings = plan.settings,
        .services = services,
        .tailnets = tailnets,
        .classes = classes,
        .central_bundle = central_bundle(loaded, inventory.reference, plan.settings, diagnostics)};
    std::vector<const ParentInput*> consumed =
        plan_proxies(inventory, parents, inputs, plan, diagnostics);
    plan_group_policies(inventory, inputs, plan, diagnostics);
    check_policies(consumed, plan, diagnostics);
    plan_dns_config(inventory, inputs, plan, diagnostics);
    plan_recorders(inventory, inputs, plan, diagnostics);
    tailnets.finish(inputs, plan, diagnostics);
    classes.finish(diagnostics);
    plan_metrics(plan, diagnostics);

    check_firewall_mode(plan, diagnostics);
    check_operator_tags(plan, diagnostics);
    check_versions(loaded, plan, diagnostics);
    check_hostnames(plan, diagnostics);
    check_names(loaded, plan, diagnostics);
    check_bundles(loaded, plan, diagnostics);
    check_duplicates(loaded, inventory, std::move(consumed), diagnostics);
    return plan;
}

}  // namespace renderer
