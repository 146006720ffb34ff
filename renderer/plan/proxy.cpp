#include "renderer/plan/proxy.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/kube/name_grammar.h"
#include "renderer/plan/annotations.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/names.h"
#include "renderer/plan/tags.h"

namespace renderer {

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
            diagnostics.add({.rule = "invalid-tag",
                             .pos = wish->pos(),
                             .object = parent.doc->object_name(),
                             .message = fmt::format("invalid tag \"{}\": {}", tag, wrong),
                             .found = fmt::format("\"{}\"", wish->text()),
                             .expected = "tags such as \"tag:web\", separated by commas"});
        }
    }
    return tags;
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
        diagnostics.add(
            {.rule = "missing-namespace",
             .pos = parent.name_pos(),
             .object = parent.doc->object_name(),
             .message = "the namespace of this object is unknown",
             .expected = "metadata.namespace, or \"defaultNamespace\" in the bundle's fleet.yaml",
             .hint = "set metadata.namespace, or use --namespace NAME"});
    }
}

std::string_view ProxyPlan::hostname_advice() const {
    switch (target) {
        case Target::Serve:
            return "change the first host of spec.tls";
        case Target::Routes:
            return "choose one with \"spec.hostname\" or \"spec.hostnamePrefix\"";
        case Target::ClusterIp:
        case Target::DnsName:
        case Target::TailnetIp:
        case Target::TailnetName:
            break;
    }
    return "choose one with the annotation \"tailscale.com/hostname\"";
}

std::string ProxyPlan::pod(std::size_t ordinal) const {
    return fmt::format("{}-{}", name, ordinal);
}

ProxyPlan bare_proxy(const ParentInput& parent, std::string_view rule, const ProxyInputs& inputs) {
    const Settings& settings = inputs.settings;
    const std::string_view kind = parent.doc->kind.text();
    ProxyPlan proxy;
    proxy.origin = {parent.pos(), parent.doc->object_name(), rule};
    proxy.bundle = inputs.bundle_of(*parent.doc);
    proxy.name = proxy_name(kind, parent.ns, parent.name);
    proxy.ns = settings.ns;
    proxy.parent_kind = kind;
    proxy.parent_ns = parent.ns;
    proxy.parent_name = parent.name;
    proxy.server_url = settings.login_server;
    proxy.image = settings.proxy_image.reference();
    proxy.pull_policy = settings.proxy_image.pinned() ? "IfNotPresent" : "Always";
    proxy.firewall_mode = settings.firewall_mode;
    proxy.priority_class = settings.priority_class;
    return proxy;
}

ProxyPlan start_proxy(const ParentInput& parent, std::string_view rule, const ProxyInputs& inputs,
                      Diagnostics& diagnostics) {
    check_namespace(parent, diagnostics);
    ProxyPlan proxy = bare_proxy(parent, rule, inputs);
    proxy.proxy_class = inputs.classes.of(parent, diagnostics);
    proxy.tags = device_tags(plan_tags(parent, inputs.settings, diagnostics), inputs.settings);
    return proxy;
}

void check_proxied_name(const ParentInput& parent, Diagnostics& diagnostics) {
    Diagnostic found{.pos = parent.name_pos(), .object = parent.doc->object_name()};
    if (parent.name.size() > kMaxLabel) {
        found.rule = "name-too-long";
        found.message = fmt::format("the name of this {} is too long for a label of its proxy",
                                    parent.doc->kind.text());
        found.found = fmt::format("{} bytes", parent.name.size());
        found.expected = fmt::format("at most {} bytes", kMaxLabel);
        diagnostics.add(std::move(found));
    } else if (parent.name.substr(0, kKeptParentBytes).find('.') != std::string_view::npos) {
        found.rule = "invalid-object";
        found.message =
            fmt::format("the name of this {} has a dot, but its proxy's Service is named after it",
                        parent.doc->kind.text());
        found.found = fmt::format("\"{}\"", parent.name);
        found.expected = "letters, digits and dashes";
        diagnostics.add(std::move(found));
    }
}

void add_hostname(const ParentInput& parent, std::string wish, Pos pos, std::string_view advice,
                  const Settings& settings, ProxyPlan& proxy, Diagnostics& diagnostics) {
    std::string wrong = dns_label_error(wish);
    if (wrong.empty() && !settings.hostname_suffix.empty()) {
        wish += "-" + settings.hostname_suffix;
        wrong = dns_label_error(wish);
    }
    if (!wrong.empty()) {
        diagnostics.add({.rule = "invalid-hostname",
                         .pos = pos,
                         .object = parent.doc->object_name(),
                         .message = fmt::format("invalid hostname \"{}\": {}", wish, wrong),
                         .found = wish.size() <= kMaxLabel
                                      ? ""
                                      : fmt::format("a name of {} bytes", wish.size()),
                         .expected = "1 to 63 letters, digits and dashes, no dash at either end",
                         .hint = std::string(advice)});
    }
    proxy.hostnames.push_back(std::move(wish));
    proxy.hostname_pos = pos;
}

void plan_service_hostname(const ServiceInput& service, const Settings& settings, ProxyPlan& proxy,
                           Diagnostics& diagnostics) {
    const Value* wish = service.annotation(kHostname);
    if (wish != nullptr && wish->is_string()) {
        add_hostname(service, std::string(wish->text()), wish->pos(),
                     "fix it, or remove the annotation to use <namespace>-<name>", settings, proxy,
                     diagnostics);
        return;
    }
    if (service.ns.empty()) {
        return;  // reported; a hostname cannot be made of what is not known
    }
    add_hostname(service, fmt::format("{}-{}", service.ns, service.name), service.name_pos(),
                 "choose one with the annotation \"tailscale.com/hostname\"", settings, proxy,
                 diagnostics);
}

DeviceRow device_row(const ProxyPlan& proxy, std::string leads_to) {
    return {.hostname = proxy.hostnames.empty() ? "" : proxy.hostnames.front(),
            .kind = proxy.parent_kind,
            .tags = fmt::format("{}", fmt::join(proxy.tags, ",")),
            .leads_to = std::move(leads_to),
            .is_public = proxy.funnel,
            .pos = proxy.origin.pos,
            .tailnet = proxy.tailnet};
}

std::string cluster_dns_name(std::string_view ns, std::string_view name, const Settings& settings) {
    return fmt::format("{}.{}.svc.{}", name, ns, settings.cluster_domain);
}

}  // namespace renderer
