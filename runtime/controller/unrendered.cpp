#include "runtime/controller/unrendered.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "renderer/core/text_of.h"
#include "runtime/controller/contract.h"
#include "runtime/controller/egress_status.h"
#include "runtime/controller/proxy_status.h"
#include "runtime/controller/replicas.h"

namespace runtime {

using renderer::text_of;

namespace {

constexpr std::string_view kProxyGroup = "tailscale.com/proxy-group";
constexpr std::string_view kRemedy =
    "run \"tailrender render\" with its manifest and apply the output";

bool is_exposed(const Parent& service) {
    return annotation(service, "tailscale.com/expose") == "true" || has_our_class(service);
}

bool leads_out(const Parent& service) {
    return !annotation(service, "tailscale.com/tailnet-ip").empty() ||
           !annotation(service, "tailscale.com/tailnet-fqdn").empty() ||
           !annotation(service, "tailscale.com/ts-tailnet-target-ip").empty();
}

// By a proxy of their own, or by a group.
std::set<std::string> served_parents(const ClusterView& view) {
    std::set<std::string> served = parents_of_sets(view);
    for (const auto& [unused, group] : view.groups().objects()) {
        for (const Offer& offer : group.offers) {
            served.insert(offer.parent);
        }
    }
    return served;
}

bool is_readable(const ClusterView& view, std::string_view group) {
    const GroupConfig* config =
        view.groups().find(view.key(fmt::format("{}{}", renderer::kGroupPrefix, group)));
    return config == nullptr || (config->problem.empty() && config->contract == kContractVersion);
}

std::string what_is_missing(const Parent& parent, const std::string& name,
                            const std::set<std::string>& served, const ClusterView& view) {
    if (served.contains(name)) {
        return {};
    }
    if (!is_of_group(parent)) {
        return fmt::format("there is no rendered proxy for it in namespace \"{}\": {}", view.ns(),
                           kRemedy);
    }
    const std::string_view group = annotation(parent, kProxyGroup);
    if (has_operators_sets(view) || !is_readable(view, group)) {  // they may serve it
        return {};
    }
    if (!served.contains(fmt::format("ProxyGroup/{}", group))) {
        return fmt::format(
            "there is no rendered StatefulSet of ProxyGroup \"{}\" in namespace \"{}\": run "
            "\"tailrender render\" with the ProxyGroup and apply the output",
            group, view.ns());
    }
    return egress_group(parent) == group
               ? std::string()
               : fmt::format("ProxyGroup \"{}\" was rendered without it: {}", group, kRemedy);
}

}  // namespace

bool asks_for_proxy(const Parent& parent, std::string_view ingress_class) {
    if (parent.kind == "Ingress") {
        return text_of(parent.spec.find("ingressClassName")) == ingress_class;
    }
    // An empty name of a group: nobody takes it, as in the reference.
    const bool is_nobodys = parent.annotations.contains(std::string(kProxyGroup)) &&
                            annotation(parent, kProxyGroup).empty();
    return parent.kind == "Service" && !is_nobodys && (is_exposed(parent) || leads_out(parent));
}

Unrendered::Unrendered(const FeatureContext& context)
    : context_(context), reminders_(context.loop, context.events) {}

void Unrendered::look() {
    problems_.clear();
    const auto served = served_parents(context_.view);
    for (const std::string_view kind : {"Service", "Ingress"}) {
        for (const auto& [unused, parent] : context_.parents.all(kind)) {
            if (!asks_for_proxy(parent, context_.ingress_class)) {
                continue;
            }
            const std::string name = contract_name(parent);
            const std::string problem = what_is_missing(parent, name, served, context_.view);
            const auto notice = [this, &name, &problem] {
                return Notice{.about = context_.parents.reference(name),
                              .reason = kNotRendered,
                              .message = problem};
            };
            if (!problem.empty() &&
                reminders_.note(fmt::format("{} {}", name, parent.uid), kApplyPatience, notice)) {
                problems_.emplace(name, problem);
            }
        }
    }
    reminders_.end_look();
}

std::string Unrendered::problem_of(const std::string& name) const {
    const auto found = problems_.find(name);
    return found == problems_.end() ? std::string() : found->second;
}

}  // namespace runtime
