#include "renderer/plan/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>

#include "renderer/load/splice.h"
#include "renderer/plan/checks/cross_checks.h"
#include "renderer/plan/checks/object_checks.h"
#include "renderer/plan/checks/own_images.h"
#include "renderer/plan/checks/undecided.h"
#include "renderer/plan/class/proxy_classes.h"
#include "renderer/plan/custom_resources.h"
#include "renderer/plan/dataplanes.h"
#include "renderer/plan/group/api_group.h"
#include "renderer/plan/group/egress_group.h"
#include "renderer/plan/group/group_policy.h"
#include "renderer/plan/group/ingress_group.h"
#include "renderer/plan/group/proxy_group.h"
#include "renderer/plan/group/static_endpoints.h"
#include "renderer/plan/install/install.h"
#include "renderer/plan/operator_settings.h"
#include "renderer/plan/parents.h"
#include "renderer/plan/tailnets.h"
#include "renderer/plan/versions.h"
#include "renderer/plan/workload/api_proxy.h"
#include "renderer/plan/workload/connector.h"
#include "renderer/plan/workload/dns_config.h"
#include "renderer/plan/workload/health_check.h"
#include "renderer/plan/workload/l3_egress.h"
#include "renderer/plan/workload/l3_ingress.h"
#include "renderer/plan/workload/l7_ingress.h"
#include "renderer/plan/workload/peer_relay.h"
#include "renderer/plan/workload/pod_metrics.h"
#include "renderer/plan/workload/recorder.h"

namespace renderer::plan {

namespace {

// Warns of the operator among the sources: with it, two controllers would serve every Service and
// Ingress.
void warn_operator_in_sources(const load::Loaded& loaded, const classify::Inventory& inventory,
                              Diagnostics& diagnostics) {
    const Document* deployment = inventory.stock_operator.deployment;
    if (loaded.only_generated && deployment != nullptr) {
        diagnostics
            .say(loaded.lints ? Severity::Error : Severity::Warning, "operator-in-sources",
                 deployment->kind.pos(),
                 "the operator is among the sources, which --only generated leaves as they are")
            .object(deployment->object_name())
            .expected("tailrender's controller in its place")
            .hint("remove the operator from the sources; tailrender install prints the controller");
    }
}

// Refuses a file that was not read because it does not mention Tailscale, but that may still be an
// input. Returns the words that make inputs with these settings.
std::vector<std::string> refuse_unjudged(const load::Loaded& loaded, const Settings& settings,
                                         Diagnostics& diagnostics) {
    std::vector<std::string> words;
    if (settings.default_load_balancer) {
        words.emplace_back("LoadBalancer");
    }
    if (settings.ingress_class != "tailscale") {
        words.push_back(settings.ingress_class);
    }
    for (const SourceId source : loaded.unjudged) {
        for (const std::string& word : words) {
            const std::size_t at = loaded.sources.text(source).find(word);
            if (at != std::string_view::npos) {
                diagnostics
                    .error("unread-file", loaded.sources.pos(source, at),
                           "this file is not read, but it may be an input")
                    .found(fmt::format(
                        "\"{}\", which makes an object an input with the operator's settings",
                        word))
                    .expected("a file and a kustomization that tailrender can read")
                    .hint("\"tailrender check\" reports what tailrender cannot read");
                break;
            }
        }
    }
    return words;
}

// Returns the operator's bundle for placement `central`, or kNone: each proxy is in its parent's
// bundle.
std::uint32_t central_bundle(const load::Loaded& loaded, const classify::OperatorInput& stock,
                             const Settings& settings, Diagnostics& diagnostics) {
    if (settings.placement == Placement::Parent) {
        return kNone;
    }
    if (stock.deployment != nullptr) {
        return stock.deployment->bundle;
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
    diagnostics.error("no-operator-bundle", place, "no bundle in the inputs has the operator")
        .expected(
            "a bundle for generated objects: one with the operator's chart in "
            "fleet.yaml, or with its manifest")
        .hint("set \"tailrender.placement: parent\"");
    return kNone;
}

// Checks the backends: if the API server refuses one, the proxy has none. Parents were checked
// already, and facts (--context) are not checked.
void check_backends(const load::Loaded& loaded, const Parents& parents,
                    const std::vector<const classify::ServiceInput*>& backends,
                    Diagnostics& diagnostics) {
    std::vector<const classify::ServiceInput*> checked = parents.services;
    checked.insert(checked.end(), parents.members.begin(), parents.members.end());
    checked.insert(checked.end(), parents.group_services.begin(), parents.group_services.end());
    std::ranges::sort(checked);
    for (const classify::ServiceInput* backend : backends) {
        if (is_rendered(loaded, *backend->doc) && !std::ranges::binary_search(checked, backend)) {
            report_faults(*backend, diagnostics);
            check_object(*backend, diagnostics);
        }
    }
}

std::vector<Workload> plan_proxies(const classify::Inventory& inventory, const Parents& parents,
                                   const ProxyInputs& inputs, Diagnostics& diagnostics) {
    std::vector<Workload> proxies = plan_connectors(inventory, inputs, diagnostics);
    proxies.reserve(proxies.size() + parents.ingresses.size() + parents.services.size());
    for (const classify::IngressInput* ingress : parents.ingresses) {
        check_object(*ingress, diagnostics);
        if (ingress->served) {
            proxies.push_back(plan_l7_ingress(*ingress, inputs, diagnostics));
        }
    }
    for (const classify::ServiceInput* service : parents.services) {
        if (is_exposed(*service, inputs.settings)) {
            check_object(*service, diagnostics);
            proxies.push_back(plan_l3_ingress(*service, inputs, diagnostics));
        } else {
            proxies.push_back(plan_l3_egress(*service, inputs, diagnostics));
        }
    }
    return proxies;
}

// Returns the input objects that the plan is based on.
std::vector<const classify::ParentInput*> consumed_by(
    const Parents& parents, const std::vector<const classify::ServiceInput*>& backends) {
    std::vector<const classify::ParentInput*> consumed(backends.begin(), backends.end());
    for (const classify::IngressInput* ingress : parents.ingresses) {
        if (ingress->served) {
            consumed.push_back(ingress);
        }
    }
    for (const auto* taken : {&parents.services, &parents.members, &parents.group_services}) {
        consumed.insert(consumed.end(), taken->begin(), taken->end());
    }
    consumed.insert(consumed.end(), parents.group_ingresses.begin(), parents.group_ingresses.end());
    return consumed;
}

// Returns the documents of all parents, also of those that get nothing because of an error.
std::vector<const Document*> documents_of(
    const Parents& parents, const std::vector<const classify::ParentInput*>& consumed) {
    std::vector<const Document*> documents;
    documents.reserve(consumed.size() + parents.ingresses.size() + parents.idle_services.size());
    for (const classify::ParentInput* one : consumed) {
        documents.push_back(one->doc);
    }
    for (const classify::IngressInput* one : parents.ingresses) {
        documents.push_back(one->doc);
    }
    for (const classify::ServiceInput* one : parents.idle_services) {
        documents.push_back(one->doc);
    }
    std::ranges::sort(documents);
    return documents;
}

template <typename T>
void append(std::vector<T> more, std::vector<T>& all) {
    std::ranges::move(more, std::back_inserter(all));
}

// Returns all backends, without duplicates.
std::vector<const classify::ServiceInput*> backends_of(const Plan& plan) {
    std::vector<const classify::ServiceInput*> backends;
    for (const Workload& one : plan.workloads) {
        append(one.backends, backends);
    }
    for (const OfferedService& one : plan.offered) {
        append(one.backends, backends);
    }
    std::ranges::sort(backends);
    backends.erase(std::unique(backends.begin(), backends.end()), backends.end());
    return backends;
}

// Adds the API proxy to the bundle of the controller, because a cluster has one, whatever else is
// rendered.
void place_api_proxy(const load::Loaded& loaded, const classify::Inventory& inventory, Plan& plan,
                     Diagnostics& diagnostics) {
    std::optional<Workload> proxy = plan_api_proxy(plan.settings, diagnostics);
    const Document* deployment = loaded.is_stream ? inventory.stock_operator.deployment : nullptr;
    if (!proxy) {
        return;
    }
    if (!plan.install && deployment == nullptr) {
        plan.api_proxy_elsewhere = std::move(proxy);
        return;
    }
    proxy->bundle = plan.install ? plan.install->bundle : deployment->bundle;
    plan.workloads.push_back(std::move(*proxy));
}

std::vector<DeviceRow> devices_of(const load::Loaded& loaded, const Plan& plan) {
    std::map<Pos, std::string_view> kept;  // by the position of the kind
    for (const Document& document : loaded.documents) {
        if (document.kept != kNone) {
            kept.emplace(document.kind.pos(), load::kept_reason(loaded, document));
        }
    }
    std::vector<DeviceRow> rows;
    const auto add = [&](const auto& one, const std::string& hostname, bool is_public) {
        const auto reason = kept.find(one.origin.pos);
        rows.push_back({.hostname = hostname,
                        .kind = std::string(kind_of_name(one.origin.parent)),
                        .tags = fmt::format("{}", fmt::join(one.tags, ",")),
                        .target = one.target_text,
                        .is_public = is_public,
                        .pos = one.origin.pos,
                        .tailnet = one.tailnet,
                        .kept = std::string(reason == kept.end() ? "" : reason->second)});
    };
    for (const Workload& one : plan.workloads) {
        for (const std::string& hostname : one.hostnames) {
            add(one, hostname, is_public(one));
        }
    }
    for (const OfferedService& one : plan.offered) {
        if (!one.group.empty()) {
            add(one, one.hostname, false);
        }
    }
    return rows;
}

// If nothing is rendered, no setting has an effect yet.
void report_unread_values(const load::Loaded& loaded, const Plan& plan, Diagnostics& diagnostics) {
    const bool counts = !plan.devices.empty() || plan.install;
    for (const engines::UnreadValues& one : loaded.unread_values) {
        Diagnostic diagnostic = one.diagnostic;
        diagnostic.severity = counts ? diagnostic.severity : Severity::Warning;
        diagnostics.add(std::move(diagnostic));
    }
}

}  // namespace

Plan plan(const load::Loaded& loaded, const classify::Inventory& inventory,
          Diagnostics& diagnostics) {
    Plan plan;
    plan.edits = loaded.edits;
    plan.settings = operator_settings(loaded, inventory.stock_operator, diagnostics);
    Installation installation = plan_install(loaded, inventory, plan.settings, diagnostics);
    plan.install = std::move(installation.install);
    plan.replacements = std::move(installation.replacements);
    plan.summary = std::move(installation.summary);
    append(std::move(installation.edits), plan.edits);
    warn_operator_in_sources(loaded, inventory, diagnostics);
    plan.input_words = refuse_unjudged(loaded, plan.settings, diagnostics);
    append(plan_custom_resources(loaded, inventory, plan.settings, diagnostics), plan.edits);
    if (plan.install) {
        plan.install->crds = missing_crds(loaded, plan.settings);
    }
    Parents parents = find_parents(loaded, inventory, plan.settings, diagnostics);
    const ServiceIndex services(inventory);
    plan.undecided = set_aside_undecided(loaded, services, parents, diagnostics);
    const Tailnets tailnets(loaded, inventory, plan.settings);
    ProxyClasses classes(loaded, inventory, plan);
    const ProxyInputs inputs = {.loaded = loaded,
                                .settings = plan.settings,
                                .services = services,
                                .tailnets = tailnets,
                                .classes = classes,
                                .central_bundle = central_bundle(loaded, inventory.stock_operator,
                                                                 plan.settings, diagnostics)};
    plan.workloads = plan_proxies(inventory, parents, inputs, diagnostics);
    plan_health_checks(plan.workloads);
    const GroupIndex groups(inventory);
    std::vector<Workload> planned_groups = plan_proxy_groups(groups, inputs, diagnostics);
    plan.locked_ports = plan_static_endpoints(loaded, inventory, planned_groups, diagnostics);
    check_api_accounts(groups, plan.install.has_value(), inputs, diagnostics);
    plan.offered = plan_api_services(planned_groups, inputs, diagnostics);
    append(plan_ingress_members(parents, groups, inputs, diagnostics), plan.offered);
    std::ranges::stable_sort(plan.offered, [](const auto& a, const auto& b) {
        return std::tie(a.group, a.hostname) < std::tie(b.group, b.hostname);
    });
    append(std::move(planned_groups), plan.workloads);
    EgressPlan egress = plan_egress_members(parents.members, groups, inputs, diagnostics);
    plan.egress_members = std::move(egress.members);
    name_egress_members(plan.egress_members, plan.workloads);
    append(std::move(egress.locked_ports), plan.locked_ports);
    append(plan_recorders(inventory, inputs, diagnostics), plan.workloads);
    append(plan_peer_relays(inventory, inputs, diagnostics), plan.workloads);
    if (std::optional<Workload> nameserver = plan_dns_config(inventory, inputs, diagnostics)) {
        plan.workloads.push_back(std::move(*nameserver));
    }
    place_api_proxy(loaded, inventory, plan, diagnostics);
    plan.group_policies = plan_group_policies(inventory, inputs, diagnostics);
    plan.tailnets = plan_tailnets(inventory, inputs);
    plan.metrics = plan_metrics(plan.workloads, diagnostics);
    plan.devices = devices_of(loaded, plan);
    report_unread_values(loaded, plan, diagnostics);
    std::vector<Edit> names = std::move(egress.edits);
    for (Workload& one : plan.workloads) {
        append(std::move(one.edits), names);
    }

    classes.finish(diagnostics);
    append(check_tailnets(loaded, inventory, plan.settings, diagnostics), plan.summary);
    load::check_edits(loaded.sources, names, diagnostics);
    append(std::move(names), plan.edits);
    const std::vector<const classify::ServiceInput*> backends = backends_of(plan);
    check_backends(loaded, parents, backends, diagnostics);
    const std::vector<const classify::ParentInput*> consumed = consumed_by(parents, backends);
    plan.ours = documents_of(parents, consumed);
    check_policies(consumed, plan, diagnostics);
    check_firewall_mode(plan, diagnostics);
    check_own_images(inventory.stock_operator, loaded, plan, diagnostics);
    check_class_images(plan, diagnostics);
    check_class_users(plan, diagnostics);
    check_class_env(plan, diagnostics);
    check_k8s_proxy_image(plan, diagnostics);
    check_refused_env(plan, diagnostics);
    check_class_effects(plan, diagnostics);
    check_accepted_routes(inventory, plan, diagnostics);
    check_operator_tags(plan, diagnostics);
    check_versions(loaded, plan, diagnostics);
    check_hostnames(plan, diagnostics);
    check_names(loaded, plan, diagnostics);
    check_bundles(loaded, plan, diagnostics);
    check_duplicates(loaded, inventory, consumed, diagnostics);
    check_made_names(loaded, plan, diagnostics);
    return plan;
}

}  // namespace renderer::plan
