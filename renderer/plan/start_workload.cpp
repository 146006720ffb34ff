#include "renderer/plan/start_workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/contract/environment.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/checks/metadata_checks.h"
#include "renderer/plan/class/proxy_classes.h"
#include "renderer/plan/dataplanes.h"
#include "renderer/plan/device_tags.h"
#include "renderer/plan/object_names.h"
#include "renderer/plan/tailnets.h"

namespace renderer::plan {

namespace {

// What can give an object a namespace, and how a user sets it.
struct NamespaceAdvice {
    std::string source;
    std::string_view hint = "set metadata.namespace";
};

bool has_engine(const load::Loaded& loaded) {
    return std::ranges::any_of(loaded.documents, [](const Document& document) {
        const std::string_view version = text_of(&document.api_version);
        const std::string_view kind = text_of(&document.kind);
        return (version.starts_with("kustomize.toolkit.fluxcd.io/") && kind == "Kustomization") ||
               (version.starts_with("argoproj.io/") && kind.starts_with("Application"));
    });
}

NamespaceAdvice namespace_advice(const load::Loaded& loaded, const Document& document) {
    const std::shared_ptr<const engines::AppliedUnit> unit = load::unit_of(loaded, document.source);
    if (unit->name.starts_with("Kustomization ")) {
        return {fmt::format("\"targetNamespace\" of {}", unit->name)};
    }
    if (unit->name.starts_with("Application ")) {
        return {fmt::format("\"destination.namespace\" of {}", unit->name)};
    }
    if (loaded.bundles[document.bundle].pos.known()) {
        return {"\"defaultNamespace\" in the bundle's fleet.yaml"};
    }
    if (loaded.is_stream) {
        return {"the namespace of the release", "set metadata.namespace, or use --namespace NAME"};
    }
    return {"\"namespace\" of a kustomization",
            !loaded.only_generated && has_engine(loaded)
                ? "--only generated takes it from what Flux or Argo CD applies; or set "
                  "metadata.namespace"
                : "set metadata.namespace, or use --namespace NAME"};
}

}  // namespace

void check_namespace(const classify::ParentInput& parent, const load::Loaded& loaded,
                     Diagnostics& diagnostics) {
    // An object without a name has another error, and often no metadata at all.
    if (parent.ns.empty() && !parent.name.empty()) {
        const NamespaceAdvice advice = namespace_advice(loaded, *parent.doc);
        classify::about(parent, diagnostics)
            .error("missing-namespace", parent.name_pos(),
                   "the namespace of this object is unknown")
            .expected(fmt::format("metadata.namespace, or {}", advice.source))
            .hint(advice.hint)
            .is_absence();
    }
}

Workload start_workload(const classify::ParentInput& parent, std::string_view rule,
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

Workload bare_proxy(const classify::ParentInput& parent, std::string_view rule,
                    const ProxyInputs& inputs) {
    Workload proxy = start_workload(parent, rule, inputs);
    proxy.name = proxy_name(parent.doc->kind.text(), parent.ns, parent.name);
    proxy.account = proxy.name;
    proxy.priority_class = inputs.settings.priority_class;
    proxy.add_parent_labels(true);
    proxy.claim({"Role", "RoleBinding", "Service", "ServiceAccount", "StatefulSet"}, proxy.name);
    proxy.volumes = {kConfigVolume, kAuthVolume};
    return proxy;
}

Workload start_proxy(const classify::ParentInput& parent, std::string_view rule,
                     const ProxyInputs& inputs, Diagnostics& diagnostics) {
    check_namespace(parent, inputs.loaded, diagnostics);
    Workload proxy = bare_proxy(parent, rule, inputs);
    proxy.proxy_class = inputs.classes.of(parent, diagnostics);
    choose_dataplane(parent, inputs.settings, proxy, diagnostics);
    proxy.tags = device_tags(plan_tags(parent, inputs.settings, diagnostics), inputs.settings);
    return proxy;
}

void add_firewall_mode(const Settings& settings, Workload& workload) {
    if (!settings.firewall_mode.empty()) {
        workload.env.push_back({variable::kFirewallMode, settings.firewall_mode});
    }
}

void check_proxied_name(const classify::ParentInput& parent, Diagnostics& diagnostics) {
    if (parent.name.size() > kMaxLabel) {
        classify::about(parent, diagnostics)
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

}  // namespace renderer::plan
