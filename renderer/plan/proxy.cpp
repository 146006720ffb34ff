#include "renderer/plan/proxy.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/kube/name_grammar.h"
#include "renderer/plan/annotations.h"
#include "renderer/plan/checks/metadata_checks.h"
#include "renderer/plan/dataplanes.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/object_names.h"
#include "renderer/plan/tags.h"

namespace renderer {

namespace {

template <typename Owner>
std::string check_wish(const Owner& owner, const Hostname& wish, std::string_view advice,
                       const Settings& settings, Diagnostics& diagnostics) {
    std::string hostname = wish.text;
    std::string wrong = dns_label_error(hostname);
    if (wrong.empty() && !settings.hostname_suffix.empty()) {
        hostname += "-" + settings.hostname_suffix;
        wrong = dns_label_error(hostname);
    }
    if (!wrong.empty()) {
        about(owner, diagnostics)
            .error("invalid-hostname", wish.pos,
                   fmt::format("invalid hostname \"{}\": {}", hostname, wrong))
            .found(hostname.size() <= kMaxLabel
                       ? ""
                       : fmt::format("a name of {} bytes", hostname.size()))
            .expected("1 to 63 letters, digits and dashes, no dash at either end")
            .hint(advice);
    }
    return hostname;
}

}  // namespace

// An empty annotation is one empty tag, which is malformed; the default tags are checked where
// settings are.
std::vector<std::string> plan_tags(const ParentInput& parent, const Settings& settings,
                                   Diagnostics& diagnostics) {
    const Value* wish = parent.annotation(kTags);
    if (wish == nullptr || !wish->is_string()) {
        return settings.default_tags;
    }
    std::vector<std::string> tags = split_tags(wish->text());
    if (tags.empty()) {
        tags.emplace_back();
    }
    for (const std::string& tag : tags) {
        if (const std::string_view wrong = tag_error(tag); !wrong.empty()) {
            about(parent, diagnostics)
                .error("invalid-tag", wish->pos(),
                       fmt::format("invalid tag \"{}\": {}", tag, wrong))
                .found(fmt::format("\"{}\"", wish->text()))
                .expected("tags such as \"tag:web\", separated by commas");
        }
    }
    return tags;
}

std::vector<std::string> spec_tags(const std::vector<TextInput>& tags,
                                   const std::vector<std::string>& fallback) {
    std::vector<std::string> texts;
    texts.reserve(tags.size());
    for (const TextInput& tag : tags) {
        texts.emplace_back(tag.text);
    }
    return texts.empty() ? fallback : texts;
}

std::vector<std::string> device_tags(std::vector<std::string> tags, const Settings& settings) {
    const std::string& mark = settings.take_over_tag;
    if (!mark.empty() && std::ranges::find(tags, mark) == tags.end()) {
        tags.push_back(mark);
    }
    return tags;
}

void check_namespace(const ParentInput& parent, Diagnostics& diagnostics) {
    if (parent.ns.empty()) {
        about(parent, diagnostics)
            .error("missing-namespace", parent.name_pos(),
                   "the namespace of this object is unknown")
            .expected(
                "metadata.namespace, or a namespace from what applies the object: "
                "\"defaultNamespace\" of Fleet, \"targetNamespace\" of Flux, "
                "\"destination.namespace\" of Argo CD, \"namespace\" of a kustomization")
            .hint("set metadata.namespace, or use --namespace NAME")
            .is_absence();
    }
}

Workload start_workload(const ParentInput& parent, std::string_view rule,
                        const ProxyInputs& inputs) {
    const Settings& settings = inputs.settings;
    Workload workload;
    workload.origin = {parent.pos(), parent.doc->object_name(), rule};
    workload.release = settings.release;
    workload.privileges = settings.privileges;
    workload.generator = rule.substr(0, rule.find(':'));
    workload.bundle = inputs.bundle_of(*parent.doc);
    workload.ns = settings.ns;
    workload.name = parent.name;
    workload.account = parent.name;
    workload.parent_ns = parent.ns;
    workload.parent_name = parent.name;
    workload.server_url = settings.login_server;
    workload.image = settings.proxy_image.reference();
    workload.pull_policy = settings.proxy_image.pinned() ? "IfNotPresent" : "Always";
    return workload;
}

Workload bare_proxy(const ParentInput& parent, std::string_view parent_type, std::string_view rule,
                    const ProxyInputs& inputs) {
    Workload proxy = start_workload(parent, rule, inputs);
    proxy.name = proxy_name(parent.doc->kind.text(), parent.ns, parent.name);
    proxy.account = proxy.name;
    proxy.priority_class = inputs.settings.priority_class;
    proxy.labels = {{"tailscale.com/managed", "true"},
                    {"tailscale.com/parent-resource", proxy.parent_name},
                    {"tailscale.com/parent-resource-ns", proxy.parent_ns},
                    {"tailscale.com/parent-resource-type", std::string(parent_type)}};
    for (const std::string_view kind :
         {"Role", "RoleBinding", "Service", "ServiceAccount", "StatefulSet"}) {
        proxy.claims.push_back({kind, proxy.name, proxy.origin.pos});
    }
    proxy.volumes = {kConfigVolume, kAuthVolume};
    return proxy;
}

Workload start_proxy(const ParentInput& parent, std::string_view parent_type, std::string_view rule,
                     const ProxyInputs& inputs, Diagnostics& diagnostics) {
    check_namespace(parent, diagnostics);
    Workload proxy = bare_proxy(parent, parent_type, rule, inputs);
    proxy.proxy_class = inputs.classes.of(parent, diagnostics);
    choose_dataplane(parent, inputs.settings, proxy, diagnostics);
    proxy.tags = device_tags(plan_tags(parent, inputs.settings, diagnostics), inputs.settings);
    return proxy;
}

void add_firewall_mode(const Settings& settings, Workload& workload) {
    if (!settings.firewall_mode.empty()) {
        workload.env.push_back({kFirewallMode, settings.firewall_mode});
    }
}

void check_proxied_name(const ParentInput& parent, Diagnostics& diagnostics) {
    if (parent.name.size() > kMaxLabel) {
        about(parent, diagnostics)
            .error("name-too-long", parent.name_pos(),
                   fmt::format("the name of this {} is too long for a label of its proxy",
                               parent.doc->kind.text()))
            .found(fmt::format("{} bytes", parent.name.size()))
            .expected(fmt::format("at most {} bytes", kMaxLabel));
    } else if (parent.name.substr(0, kKeptParentBytes).find('.') != std::string_view::npos) {
        report_invalid(
            parent, parent.name_pos(),
            fmt::format("the name of this {} has a dot, but its proxy's Service is named after it",
                        parent.doc->kind.text()),
            fmt::format("\"{}\"", parent.name), "letters, digits and dashes", diagnostics);
    }
}

std::string checked_hostname(const ParentInput& parent, const Hostname& wish,
                             std::string_view advice, const Settings& settings,
                             Diagnostics& diagnostics) {
    return check_wish(parent, wish, advice, settings, diagnostics);
}

std::string checked_hostname(const Origin& owner, const Hostname& wish, std::string_view advice,
                             const Settings& settings, Diagnostics& diagnostics) {
    return check_wish(owner, wish, advice, settings, diagnostics);
}

std::optional<Hostname> service_hostname(const ServiceInput& service, const Settings& settings,
                                         Diagnostics& diagnostics) {
    const auto checked = [&](const Hostname& wish, std::string_view advice) {
        return Hostname{checked_hostname(service, wish, advice, settings, diagnostics), wish.pos};
    };
    const Value* wish = service.annotation(kHostname);
    if (wish != nullptr && wish->is_string()) {
        return checked({std::string(wish->text()), wish->pos()},
                       "fix it, or remove the annotation to use <namespace>-<name>");
    }
    if (service.ns.empty()) {
        return std::nullopt;
    }
    return checked({fmt::format("{}-{}", service.ns, service.name), service.name_pos()},
                   kHostnameAdvice);
}

void set_hostname(std::optional<Hostname> hostname, Workload& workload) {
    if (hostname) {
        workload.hostnames = {std::move(hostname->text)};
        workload.hostname_pos = hostname->pos;
    }
}

std::string cluster_dns_name(std::string_view ns, std::string_view name, const Settings& settings) {
    return fmt::format("{}.{}.svc.{}", name, ns, settings.cluster_domain);
}

}  // namespace renderer
