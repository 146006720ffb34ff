#include "renderer/plan/install.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "renderer/core/text_of.h"
#include "renderer/plan/chart_stream.h"
#include "renderer/plan/controller.h"
#include "renderer/plan/settings_decoder.h"

namespace renderer {

namespace {

constexpr std::string_view kFleetRule = "install: the bundle's chart is the operator's";
constexpr std::string_view kManifestRule = "install: the operator's manifest";

// I6. The value is never repeated, not even in part.
void refuse_plain_secrets(const Loaded& loaded, Diagnostics& diagnostics) {
    for (const Value& layer : loaded.values) {
        const Value* secret = layer.at({"oauth", "clientSecret"});
        if (!text_of(secret).empty()) {
            diagnostics.add(
                {.rule = "plain-secret",
                 .pos = secret->pos(),
                 .message = "\"oauth.clientSecret\" is a credential in plain text",
                 .expected = "an empty value: the Secret \"operator-oauth\" holds the credential",
                 .hint =
                     "put it into the env file of the secretGenerator \"operator-oauth\", which "
                     "git ignores, and revoke it if it was ever committed",
                 .hide_text = true});
        }
    }
}

void refuse_two_operators(const Loaded& loaded, const OperatorInput& reference,
                          Diagnostics& diagnostics) {
    const Bundle& bundle = loaded.bundles[*loaded.operator_bundle];
    diagnostics.add(
        {.rule = "second-operator",
         .pos = reference.deployment->kind.pos(),
         .object = reference.deployment->object_name(),
         .message = "a cluster has one operator, but this is another",
         .hint = "keep the chart or the manifest",
         .notes = {{.pos = bundle.chart_pos, .text = "the chart of the first is named here"}}});
}

// The controller watches the namespace that it runs in.
void check_namespace(const OperatorInput& reference, const Settings& settings,
                     Diagnostics& diagnostics) {
    const Document& deployment = *reference.deployment;
    if (!deployment.effective_namespace.empty() && deployment.effective_namespace != settings.ns) {
        diagnostics.add(
            {.rule = "other-namespace",
             .pos = deployment.kind.pos(),
             .object = deployment.object_name(),
             .message = "the operator is not in the namespace of the generated objects",
             .found = fmt::format("\"{}\"", deployment.effective_namespace),
             .expected = fmt::format("\"{}\", as \"tailrender.namespace\" says", settings.ns),
             .hint = "remove \"tailrender.namespace\""});
    }
}

void check_forced_namespace(const Bundle& bundle, Diagnostics& diagnostics) {
    if (!bundle.forced_namespace.empty()) {
        diagnostics.add({.rule = "forced-namespace",
                         .pos = bundle.forced_namespace_pos,
                         .message = "Fleet cannot force a namespace on this bundle: the operator "
                                    "has cluster-scoped objects",
                         .found = fmt::format("\"namespace: {}\"", bundle.forced_namespace),
                         .expected = "\"defaultNamespace\"",
                         .hint = "rename the key to \"defaultNamespace\""});
    }
}

// ---- Namespace

constexpr std::array<std::string_view, 3> kPodSecurity = {"pod-security.kubernetes.io/audit",
                                                          "pod-security.kubernetes.io/enforce",
                                                          "pod-security.kubernetes.io/warn"};

void check_pod_security(const Loaded& loaded, const NamespaceInput& input,
                        Diagnostics& diagnostics) {
    const Value root = read_document(loaded, *input.doc, diagnostics);
    const Value* labels = root.at({"metadata", "labels"});
    std::vector<std::string> lines;
    for (const std::string_view label : kPodSecurity) {
        const Value* value = labels == nullptr ? nullptr : labels->find(label);
        if (text_of(value) != "privileged") {
            lines.push_back(fmt::format("\"{}: privileged\"", label));
        }
    }
    if (!lines.empty()) {
        diagnostics.add(
            {.rule = "pod-security",
             .pos = input.doc->kind.pos(),
             .object = input.doc->object_name(),
             .message = "proxies need privileged pods, which this namespace may refuse",
             .expected = fmt::format("in metadata.labels: {}", fmt::join(lines, ", "))});
    }
}

bool declares_namespace(const Loaded& loaded, const Inventory& inventory, std::string_view ns,
                        Diagnostics& diagnostics) {
    bool found = false;
    for (const NamespaceInput& input : inventory.namespaces) {
        if (input.name == ns && input.doc->reachable) {
            found = true;
            check_pod_security(loaded, input, diagnostics);
        }
    }
    return found;
}

// ---- credentials

using Entries = std::vector<std::pair<std::string, std::string>>;

const std::string* find_entry(const Entries& entries, std::string_view key) {
    const auto found = std::ranges::find(entries, key, &Entries::value_type::first);
    return found == entries.end() ? nullptr : &found->second;
}

// OAuth ids and secrets are letters, digits, dashes and underscores. Quotes and blanks would become
// part of the credential; brackets and "changeme" are what examples have.
bool is_placeholder(std::string_view value) {
    std::string lower(value);
    std::ranges::transform(lower, lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    constexpr std::array<std::string_view, 4> kWords = {"changeme", "change-me", "replace",
                                                        "your-"};
    return value.find_first_of("<>{}$\"' \t\r") != std::string_view::npos ||
           value.find_first_not_of(".xX*") == std::string_view::npos ||
           std::ranges::any_of(kWords, [&](std::string_view word) {
               return lower.find(word) != std::string::npos;
           });
}

std::string take_credential(const OAuthEnvFile& file, std::string_view key,
                            Diagnostics& diagnostics) {
    const std::string* value = find_entry(file.entries, key);
    const bool missing = value == nullptr || value->empty();
    if (!missing && !is_placeholder(*value)) {
        return *value;
    }
    diagnostics.add(
        {.rule = missing ? "missing-credential" : "placeholder-credential",
         .pos = file.pos,
         .where = file.path,
         .message = missing ? fmt::format("\"{}\" has no value for \"{}\"", file.path, key)
                            : fmt::format("\"{}\" in \"{}\" is a placeholder, quoted or has blanks",
                                          key, file.path),
         .expected = fmt::format("a line \"{}=…\" with the bare value", key)});
    return {};
}

void generate_secret(const Loaded& loaded, InstallPlan& install, Diagnostics& diagnostics) {
    if (!loaded.oauth_env || !loaded.oauth_env->present) {
        const bool listed = loaded.oauth_env.has_value();
        diagnostics.add({.rule = "missing-credential",
                         .pos = listed ? loaded.oauth_env->pos : install.origin.pos,
                         .message = "\"tailrender.secrets: generate\" needs the OAuth env file",
                         .found = listed ? fmt::format("no file \"{}\"", loaded.oauth_env->path)
                                         : "no secretGenerator named \"operator-oauth\"",
                         .expected = "an env file with \"client_id\" and \"client_secret\"",
                         .hint = "copy the .example file and fill it in, or use "
                                 "\"tailrender.secrets: reference\""});
        return;
    }
    install.oauth_secret = true;
    install.client_id = take_credential(*loaded.oauth_env, "client_id", diagnostics);
    install.client_secret = take_credential(*loaded.oauth_env, "client_secret", diagnostics);
}

void plan_credentials(const Loaded& loaded, const Settings& settings, InstallPlan& install,
                      Plan& plan, Diagnostics& diagnostics) {
    if (credentials_of(settings) != Credentials::Secret) {
        return;
    }
    if (settings.secrets == SecretsMode::Generate) {
        generate_secret(loaded, install, diagnostics);
        return;
    }
    plan.summary.push_back(
        fmt::format("Secret {}/{} must exist in the cluster, with the keys client_id and "
                    "client_secret",
                    install.ns, kOAuthSecret));
}

// ---- the static manifest in a tree

bool is_blank_secret(const Value& root) {
    for (const std::string_view group : {"data", "stringData"}) {
        const Value* entries = root.find(group);
        if (entries == nullptr || !entries->is_map()) {
            continue;
        }
        for (const Member& entry : entries->members()) {
            if (!text_of(&entry.value).empty()) {
                return false;
            }
        }
    }
    return true;
}

void take_secret(const Loaded& loaded, const Document& document, Plan& plan,
                 Diagnostics& diagnostics) {
    if (is_blank_secret(read_document(loaded, document, diagnostics))) {
        cut_document(document, "a placeholder", plan, diagnostics);
        return;
    }
    diagnostics.add({.rule = "plain-secret",
                     .pos = document.kind.pos(),
                     .object = document.object_name(),
                     .message = "a credential in plain text",
                     .hint =
                         "create the Secret in the cluster, or use an env file that git ignores, "
                         "and revoke the credential if it was ever committed"});
}

// Those that the install generator makes anew. Account, Role and binding `proxies`, the CRDs and
// what belongs to the API proxy stay as they are.
bool is_regenerated(const Document& document) {
    const std::string_view kind = text_of(&document.kind);
    const std::string_view name = text_of(&document.name);
    if (kind == "ClusterRole" || kind == "ClusterRoleBinding") {
        return name == kControllerClusterRole;
    }
    if (kind == "ServiceAccount" || kind == "Role" || kind == "RoleBinding") {
        return name == kControllerName;
    }
    return kind == "Deployment" || kind == "IngressClass";
}

void take_manifest(const Loaded& loaded, const OperatorInput& reference, InstallPlan& install,
                   Plan& plan, Diagnostics& diagnostics) {
    for (const Document* document : reference.parts) {
        if (text_of(&document->kind) == "Secret") {
            take_secret(loaded, *document, plan, diagnostics);
        } else if (is_regenerated(*document)) {
            cut_document(*document, "generated anew", plan, diagnostics);
        } else if (text_of(&document->name) == kAuthProxyAccount) {
            install.auth_proxy_account = false;
        }
    }
}

InstallPlan start(const Loaded& loaded, const OperatorInput& reference, const Settings& settings) {
    InstallPlan install;
    install.ns = settings.ns;
    install.auth_proxy_account = wants_auth_proxy(settings);
    if (reference.deployment != nullptr) {
        const Document& deployment = *reference.deployment;
        install.bundle = deployment.bundle;
        install.origin = {deployment.kind.pos(), deployment.object_name(), kManifestRule};
        return install;
    }
    install.bundle = *loaded.operator_bundle;
    const Bundle& bundle = loaded.bundles[install.bundle];
    install.origin = {bundle.chart_pos, fmt::format("chart {}", bundle.chart), kFleetRule};
    return install;
}

void plan_tree(const Loaded& loaded, const Inventory& inventory, const Settings& settings,
               Plan& plan, Diagnostics& diagnostics) {
    InstallPlan install = start(loaded, inventory.reference, settings);
    check_forced_namespace(loaded.bundles[install.bundle], diagnostics);
    install.emit_namespace = !declares_namespace(loaded, inventory, install.ns, diagnostics);
    plan_credentials(loaded, settings, install, plan, diagnostics);
    take_manifest(loaded, inventory.reference, install, plan, diagnostics);
    plan.install = std::move(install);
}

}  // namespace

void plan_install(const Loaded& loaded, const Inventory& inventory, const Settings& settings,
                  Plan& plan, Diagnostics& diagnostics) {
    const OperatorInput& reference = inventory.reference;
    if (!loaded.is_stream || loaded.resource_list) {
        refuse_plain_secrets(loaded, diagnostics);
    }
    if (reference.deployment != nullptr) {
        check_namespace(reference, settings, diagnostics);
    }
    if (reference.deployment != nullptr && loaded.is_stream) {
        plan_chart_stream(loaded, inventory, settings, plan, diagnostics);
    } else if (reference.deployment != nullptr && loaded.operator_bundle) {
        refuse_two_operators(loaded, reference, diagnostics);
    } else if (reference.deployment != nullptr || loaded.operator_bundle) {
        plan_tree(loaded, inventory, settings, plan, diagnostics);
    }
}

}  // namespace renderer
