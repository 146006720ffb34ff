#include "renderer/plan/parents.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "renderer/contract/annotations.h"
#include "renderer/contract/labels.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/hooks.h"
#include "renderer/plan/annotations.h"
#include "renderer/plan/ineffective_annotations.h"
#include "renderer/plan/tailnet_target.h"

namespace renderer::plan {

namespace {

bool is_tailscale_load_balancer(const classify::ServiceInput& service, const Settings& settings) {
    return service.type == classify::ServiceType::LoadBalancer &&
           (service.has_load_balancer_class ? service.load_balancer_class == "tailscale"
                                            : settings.default_load_balancer);
}

// With an empty group name, no controller of the operator handles the Service.
bool take_group_service(const classify::ServiceInput& service, Parents& parents) {
    if (annotation_text(service, annotation::kProxyGroup).empty()) {
        return false;
    }
    if (!annotation_text(service, annotation::kTailnetIp).empty() ||
        !annotation_text(service, annotation::kTailnetFqdn).empty()) {
        parents.members.push_back(&service);
        return true;
    }
    if (is_managed(service)) {
        return false;
    }
    const bool exposed = is_exposed_by_group(service);
    (exposed ? parents.group_services : parents.idle_services).push_back(&service);
    return exposed;
}

// True when the Service gets a proxy, or is served by a group.
bool take_service(const classify::ServiceInput& service, const Settings& settings,
                  Parents& parents) {
    if (service.annotation(annotation::kProxyGroup) != nullptr) {
        return take_group_service(service, parents);
    }
    if (is_managed(service)) {
        return false;
    }
    if (!is_exposed(service, settings) && tailnet_target(service) == nullptr) {
        return false;
    }
    parents.services.push_back(&service);
    return true;
}

// True when the Ingress gets a proxy, or is served by a group.
bool take_ingress(const classify::IngressInput& ingress, const Settings& settings,
                  Parents& parents) {
    if (!ingress.has_class_name || ingress.class_name != settings.ingress_class) {
        return false;
    }
    const bool grouped = !annotation_text(ingress, annotation::kProxyGroup).empty();
    (grouped ? parents.group_ingresses : parents.ingresses).push_back(&ingress);
    return true;
}

template <typename Input>
void sort_by_name(std::vector<const Input*>& parents) {
    std::ranges::stable_sort(parents, [](const Input* a, const Input* b) {
        return std::tie(a->ns, a->name) < std::tie(b->ns, b->name);
    });
}

void report_all(const classify::ParentInput& parent, const std::vector<Diagnostic>& faults,
                Diagnostics& diagnostics) {
    for (const Diagnostic& fault : faults) {
        Diagnostic named = fault;
        named.object = parent.doc->object_name();
        diagnostics.add(std::move(named));
    }
}

// Handles Services and Ingresses alike. `take` returns whether the object is a parent.
template <typename Inputs, typename Take>
void take_all(const load::Loaded& loaded, const Inputs& inputs, Take take, const Settings& settings,
              Parents& parents, Diagnostics& diagnostics) {
    Parents hooks;
    for (const auto& input : inputs) {
        if (input.doc->hook && is_applied(loaded, *input.doc) && take(input, hooks)) {
            warn_of_hook(*input.doc, diagnostics);
        }
        if (!is_rendered(loaded, *input.doc)) {
            continue;
        }
        check_annotations(input, diagnostics);
        report_all(input, input.operator_faults, diagnostics);
        if (take(input, parents)) {
            report_faults(input, diagnostics);
        } else {
            warn_of_ineffective(input, settings, diagnostics);
        }
    }
}

}  // namespace

bool is_managed(const classify::ServiceInput& service) {
    return text_of(service.label(label::kManaged)) == "true";
}

bool is_exposed_by_group(const classify::ServiceInput& service) {
    return is_exactly_true(service, annotation::kExpose) ||
           (service.type == classify::ServiceType::LoadBalancer &&
            service.has_load_balancer_class && service.load_balancer_class == "tailscale");
}

// A headless Service counts as exposed: it is refused later, with its own message. So does an
// ExternalName without a name, which the API server refuses, unless a tailnet target fills it in.
bool is_exposed(const classify::ServiceInput& service, const Settings& settings) {
    if (service.type == classify::ServiceType::ExternalName && service.external_name.empty() &&
        tailnet_target(service) != nullptr) {
        return false;
    }
    return is_exactly_true(service, annotation::kExpose) ||
           is_tailscale_load_balancer(service, settings);
}

bool is_rendered(const load::Loaded& loaded, const Document& doc) {
    return !doc.hook && is_applied(loaded, doc);
}

bool is_applied(const load::Loaded& loaded, const Document& doc) {
    return doc.reachable && loaded.bundles[doc.bundle].rendered;
}

bool is_fact(const Document& doc) {
    return doc.hook || !doc.reachable;
}

void report_duplicate(const load::Loaded& loaded, const Document& first, const Document& second,
                      Diagnostics& diagnostics) {
    const std::string one = load::unit_of(loaded, first.source)->name;
    const std::string other = load::unit_of(loaded, second.source)->name;
    const bool are_units = !one.empty() && !other.empty() && one != other;
    about(second, diagnostics)
        .error("duplicate-object", second.kind.pos(), "duplicate object in the inputs")
        .found(are_units ? fmt::format("{} and {}, which apply it differently", one, other)
                         : std::string())
        .expected(are_units ? "one that applies it, or different names or namespaces"
                            : "each object once")
        .hint(are_units ? "\"tailrender roots\" shows what they apply" : "remove one of the two")
        .note(
            {.pos = first.kind.pos(), .object = first.object_name(), .text = "the first is here"});
}

void warn_of_hook(const Document& doc, Diagnostics& diagnostics) {
    const bool is_helm = doc.root.at({"metadata", "annotations", "helm.sh/hook"}) != nullptr;
    if (!is_helm && engines::is_skipped(doc.root)) {
        return;
    }
    about(doc, diagnostics)
        .warning("hook-not-rendered", doc.kind.pos(),
                 fmt::format("{} runs this object as a hook, so nothing is rendered for it",
                             is_helm ? "Helm" : "Argo CD"))
        .expected(is_helm ? "an object of the release" : "an object that is synced")
        .hint(fmt::format("remove its annotation \"{}/hook\"",
                          is_helm ? "helm.sh" : "argocd.argoproj.io"));
}

void report_faults(const classify::ParentInput& parent, Diagnostics& diagnostics) {
    report_all(parent, parent.faults, diagnostics);
}

Parents find_parents(const load::Loaded& loaded, const classify::Inventory& inventory,
                     const Settings& settings, Diagnostics& diagnostics) {
    Parents parents;
    take_all(
        loaded, inventory.services,
        [&](const classify::ServiceInput& service, Parents& taken) {
            return take_service(service, settings, taken);
        },
        settings, parents, diagnostics);
    take_all(
        loaded, inventory.ingresses,
        [&](const classify::IngressInput& ingress, Parents& taken) {
            return take_ingress(ingress, settings, taken);
        },
        settings, parents, diagnostics);
    const bool has_gateway_class = std::ranges::any_of(loaded.documents, is_gateway_class);
    for (const Document& document : loaded.documents) {
        if (is_rendered(loaded, document)) {
            warn_of_ineffective(document, has_gateway_class, diagnostics);
            refuse_default_class(document, settings, diagnostics);
        }
    }
    sort_by_name(parents.services);
    sort_by_name(parents.members);
    sort_by_name(parents.ingresses);
    sort_by_name(parents.group_services);
    sort_by_name(parents.idle_services);
    sort_by_name(parents.group_ingresses);
    return parents;
}

}  // namespace renderer::plan
