#include "renderer/plan/install/install.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "renderer/core/text_of.h"
#include "renderer/plan/install/chart_stream.h"
#include "renderer/plan/install/controller.h"
#include "renderer/plan/install/credentials.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/secrets/confidential.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kFleetRule = "install: the bundle's chart is the operator's";
constexpr std::string_view kReleaseRule = "install: an engine installs the operator's chart";
constexpr std::string_view kManifestRule = "install: the operator's manifest";

// Wherever it stands, it would reach a manifest: in an extraEnv such as TS_AUTHKEY, say.
void refuse_keys(const Value& layer, Diagnostics& diagnostics) {
    repo::for_each_value(layer, [&](const Value& value) {
        if (secrets::holds_tailscale_key(text_of(&value))) {
            diagnostics
                .error("plain-secret", value.pos(), "a Tailscale key in plain text in the values")
                .expected("a reference to a Secret of the cluster")
                .hint("revoke it, and put the new one into a Secret of the cluster")
                .hide_text();
        }
    });
}

// I6. The value is never repeated, not even in part.
void refuse_plain_secrets(const load::Loaded& loaded, Diagnostics& diagnostics) {
    for (const Value& layer : loaded.values) {
        const Value* secret = layer.at({"oauth", "clientSecret"});
        if (!text_of(secret).empty()) {
            diagnostics
                .error("plain-secret", secret->pos(),
                       "\"oauth.clientSecret\" is a credential in plain text")
                .expected("an empty value: the Secret \"operator-oauth\" holds the credential")
                .hint(
                    "create that Secret in the cluster with kubectl, or keep it in Git encrypted "
                    "by SOPS or kubeseal, or as an ExternalSecret; revoke the credential if it was "
                    "ever committed")
                .hide_text();
        } else {
            refuse_keys(layer, diagnostics);
        }
    }
}

void refuse_two_operators(const load::Loaded& loaded, const classify::OperatorInput& stock,
                          Diagnostics& diagnostics) {
    const Pos chart = loaded.operator_release ? loaded.operator_release->pos
                                              : loaded.bundles[*loaded.operator_bundle].chart_pos;
    about(*stock.deployment, diagnostics)
        .error("second-operator", stock.deployment->kind.pos(), "a second operator in this cluster")
        .hint("keep either the chart or the manifest")
        .note({.pos = chart, .text = "the first operator's chart is here"});
}

// The controller watches the namespace that it runs in.
void check_namespace(const classify::OperatorInput& stock, const Settings& settings,
                     Diagnostics& diagnostics) {
    const Document& deployment = *stock.deployment;
    if (!deployment.effective_namespace.empty() && deployment.effective_namespace != settings.ns) {
        about(deployment, diagnostics)
            .error("other-namespace", deployment.kind.pos(),
                   "the operator is not in the namespace of the generated objects")
            .found(fmt::format("\"{}\"", deployment.effective_namespace))
            .expected(fmt::format("\"{}\", from \"tailrender.namespace\"", settings.ns))
            .hint("remove \"tailrender.namespace\"");
    }
}

void check_forced_namespace(const engines::Bundle& bundle, Diagnostics& diagnostics) {
    if (!bundle.forced_namespace.empty()) {
        diagnostics
            .error("forced-namespace", bundle.forced_namespace_pos,
                   "Fleet cannot force a namespace on this bundle: the operator "
                   "has cluster-scoped objects")
            .found(fmt::format("\"namespace: {}\"", bundle.forced_namespace))
            .expected("\"defaultNamespace\"")
            .hint("rename the key to \"defaultNamespace\"");
    }
}

// ---- Namespace

// Of the three labels of PodSecurity only this one rejects pods.
constexpr std::string_view kEnforce = "pod-security.kubernetes.io/enforce";

void check_pod_security(const load::Loaded& loaded, const classify::NamespaceInput& input,
                        Diagnostics& diagnostics) {
    const Value root = load::read_document(loaded, *input.doc, diagnostics);
    if (text_of(root.at({"metadata", "labels", kEnforce})) != "privileged") {
        about(*input.doc, diagnostics)
            .error("pod-security", input.doc->kind.pos(),
                   "proxies need privileged pods, which this namespace may reject")
            .expected(fmt::format("in metadata.labels: \"{}: privileged\"", kEnforce));
    }
}

bool declares_namespace(const classify::Inventory& inventory, std::string_view ns) {
    return std::ranges::any_of(inventory.namespaces, [&](const classify::NamespaceInput& input) {
        return input.name == ns && input.doc->reachable;
    });
}

// Checks the namespaces that the inputs declare, and plans those that they do not.
void plan_namespaces(const load::Loaded& loaded, const classify::Inventory& inventory,
                     const Settings& settings, InstallPlan& install, Diagnostics& diagnostics) {
    for (const classify::NamespaceInput& input : inventory.namespaces) {
        if (input.name == install.ns && input.doc->reachable) {
            check_pod_security(loaded, input, diagnostics);
        }
    }
    install.emit_namespace = !declares_namespace(inventory, install.ns);
    install.emit_api_namespace = install.auth_proxy_account && settings.has_api_namespace() &&
                                 !declares_namespace(inventory, settings.api_ns);
}

// ---- the static manifest in a tree

bool is_blank_secret(const Value& root) {
    return std::ranges::all_of(std::array{"data", "stringData"}, [&](std::string_view group) {
        return std::ranges::all_of(members_of(root.find(group)), [](const Member& entry) {
            return text_of(&entry.value).empty();
        });
    });
}

void take_secret(const load::Loaded& loaded, const Document& document, std::vector<Edit>& edits,
                 Diagnostics& diagnostics) {
    if (is_blank_secret(load::read_document(loaded, document, diagnostics))) {
        cut_document(document, "a placeholder", edits, diagnostics);
        return;
    }
    about(document, diagnostics)
        .error("plain-secret", document.kind.pos(), "a credential in plain text")
        .hint(
            "create the Secret in the cluster, or use an env file that git ignores, "
            "and revoke the credential if it was ever committed");
}

// True for the documents that the install generator makes again. Account, Role and binding
// `proxies` and the CRDs stay as they are, and so does what belongs to the API proxy unless it
// moves to another namespace.
bool is_regenerated(const Document& document, const Settings& settings) {
    const classify::OperatorNames& names = settings.names;
    const std::string_view kind = text_of(&document.kind);
    const std::string_view name = text_of(&document.name);
    if (settings.has_api_namespace() &&
        (name == kAuthProxyAccount || name == kAuthProxyClusterRole)) {
        return true;
    }
    if (kind == "ClusterRole" || kind == "ClusterRoleBinding") {
        return name == names.cluster;
    }
    if (kind == "ServiceAccount" || kind == "Role" || kind == "RoleBinding") {
        return name == names.name;
    }
    return kind == "Deployment" || kind == "IngressClass";
}

void take_manifest(const load::Loaded& loaded, const classify::OperatorInput& stock,
                   const Settings& settings, Installation& made, Diagnostics& diagnostics) {
    for (const Document* document : stock.parts) {
        if (text_of(&document->name) == kAuthProxyAccount) {
            made.install->auth_proxy_account = settings.has_api_namespace();
        }
        if (text_of(&document->kind) == "Secret") {
            take_secret(loaded, *document, made.edits, diagnostics);
        } else if (is_regenerated(*document, settings)) {
            cut_document(*document, "regenerated", made.edits, diagnostics);
        }
    }
}

InstallPlan start(const load::Loaded& loaded, const classify::OperatorInput& stock,
                  const Settings& settings) {
    InstallPlan install;
    install.ns = settings.ns;
    install.names = settings.names;
    install.auth_proxy_account = wants_auth_proxy(settings);
    if (stock.deployment != nullptr) {
        const Document& deployment = *stock.deployment;
        install.bundle = deployment.bundle;
        install.origin = {deployment.kind.pos(), deployment.object_name(), kManifestRule};
        return install;
    }
    install.bundle = *loaded.operator_bundle;
    if (const std::optional<load::OperatorRelease>& release = loaded.operator_release) {
        install.origin = {release->pos, release->object, kReleaseRule};
        return install;
    }
    const engines::Bundle& bundle = loaded.bundles[install.bundle];
    install.origin = {bundle.chart_pos, fmt::format("chart {}", bundle.chart), kFleetRule};
    return install;
}

// The chart makes a name of it and of the release's, which only Helm knows.
void refuse_name_override(const Settings& settings, Diagnostics& diagnostics) {
    const Value* name = settings.chart.find("nameOverride");
    if (!text_of(name).empty() && text_of(settings.chart.find("fullnameOverride")).empty()) {
        diagnostics
            .error("unknown-offline", name->pos(),
                   "\"nameOverride\" names objects after the Helm release, which is not known here")
            .found(fmt::format("\"{}\"", text_of(name)))
            .hint("set \"fullnameOverride\" to the name of the operator's Deployment");
    }
}

Installation plan_tree(const load::Loaded& loaded, const classify::Inventory& inventory,
                       const Settings& settings, Diagnostics& diagnostics) {
    Installation made;
    refuse_name_override(settings, diagnostics);
    InstallPlan& install = made.install.emplace(start(loaded, inventory.stock_operator, settings));
    check_forced_namespace(loaded.bundles[install.bundle], diagnostics);
    made.summary =
        plan_credentials(loaded, inventory.stock_operator, settings, install, diagnostics);
    take_manifest(loaded, inventory.stock_operator, settings, made, diagnostics);
    plan_namespaces(loaded, inventory, settings, install, diagnostics);
    if (loaded.operator_release && loaded.operator_release->document != kNone) {
        cut_document(loaded.documents[loaded.operator_release->document],
                     "replaced by the controller's", made.edits, diagnostics);
    }
    return made;
}

}  // namespace

Installation plan_install(const load::Loaded& loaded, const classify::Inventory& inventory,
                          const Settings& settings, Diagnostics& diagnostics) {
    const classify::OperatorInput& stock = inventory.stock_operator;
    if (!loaded.is_stream || loaded.resource_list) {
        refuse_plain_secrets(loaded, diagnostics);
    }
    if (stock.deployment != nullptr) {
        check_namespace(stock, settings, diagnostics);
    }
    if (stock.deployment != nullptr && loaded.is_stream) {
        return plan_chart_stream(loaded, inventory, settings, diagnostics);
    }
    if (stock.deployment != nullptr && loaded.only_generated) {
        return {};  // the sources stay, and the operator with them; `install` prints the controller
    }
    if (stock.deployment != nullptr && loaded.operator_bundle) {
        refuse_two_operators(loaded, stock, diagnostics);
        return {};
    }
    return stock.deployment != nullptr || loaded.operator_bundle
               ? plan_tree(loaded, inventory, settings, diagnostics)
               : Installation{};
}

}  // namespace renderer::plan
