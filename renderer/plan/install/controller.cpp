#include "renderer/plan/install/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "renderer/classify/operator_deployment.h"
#include "renderer/contract/auth_secret.h"
#include "renderer/contract/controller_objects.h"
#include "renderer/contract/environment.h"
#include "renderer/contract/group_config.h"
#include "renderer/contract/ports.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/kinds.h"
#include "renderer/plan/settings/settings_decoder.h"
#include "renderer/repo/closed_schema.h"

namespace renderer::plan {

namespace {

// Read by the operator's process and, where they matter, by the renderer: nothing in the
// controller reads them.
constexpr std::array<std::string_view, 6> kConsumedEnv = {"K8S_PROXY_IMAGE",
                                                          "PROXY_PRIORITY_CLASS_NAME",
                                                          "OPERATOR_DEFAULT_LOAD_BALANCER",
                                                          "AUTH_PROXY",
                                                          variable::kPort,
                                                          variable::kNoLogs};

Value variable(std::string_view name, std::string_view value) {
    return Value::map({{"name", name}, {"value", value}});
}

Value field_variable(std::string_view name, std::string_view path) {
    return Value::map(
        {{"name", name},
         {"valueFrom", Value::map({{"fieldRef", Value::map({{"fieldPath", path}})}})}});
}

void add_credentials(const Settings& settings, Value& env) {
    if (credentials_of(settings) == Credentials::WorkloadIdentity) {
        env.append(variable("CLIENT_ID", text_at(settings.chart, {"oauth", "clientId"})));
        return;
    }
    env.append(variable("CLIENT_ID_FILE", "/oauth/client_id"));
    env.append(variable("CLIENT_SECRET_FILE", "/oauth/client_secret"));
}

using Verbs = std::initializer_list<std::string_view>;

Value rule(std::string_view group, const std::vector<std::string>& resources, Verbs verbs,
           const std::vector<std::string>& names = {}) {
    Value made =
        Value::map({{"apiGroups", Value::list({group})}, {"resources", text_list(resources)}});
    put_if(made, !names.empty(), "resourceNames", text_list(names));
    made.add("verbs", text_list(verbs));
    return made;
}

Value rule(const Kind& kind, Verbs verbs, const std::vector<std::string>& names = {}) {
    return rule(kind.group(), {std::string(kind.plural)}, verbs, names);
}

void add_parent_rules(std::string_view group, Value& rules) {
    std::vector<std::string> plurals;
    std::vector<std::string> statuses;
    for (const Kind& kind : kKinds) {
        if (kind.role.is_parent && kind.group() == group) {
            plurals.emplace_back(kind.plural);
            statuses.push_back(fmt::format("{}/status", kind.plural));
        }
    }
    rules.append(rule(group, plurals, {"get", "list", "watch"}));
    rules.append(rule(group, statuses, {"update"}));
}

Value probe(std::string_view path) {
    return Value::map(
        {{"httpGet", Value::map({{"path", Value::borrowed(path)}, {"port", port::kLocal}})}});
}

}  // namespace

Credentials credentials_of(const Settings& settings) {
    if (!members_of(settings.chart.find("oauthSecretVolume")).empty()) {
        return Credentials::CustomVolume;
    }
    return text_at(settings.chart, {"oauth", "audience"}).empty() ? Credentials::Secret
                                                                  : Credentials::WorkloadIdentity;
}

bool wants_auth_proxy(const Settings& settings) {
    return flag_at(settings.chart, {"apiServerProxyConfig", "mode"}) ||
           flag_at(settings.chart, {"apiServerProxyConfig", "allowImpersonation"});
}

bool serves_api_apart(const Settings& settings) {
    return settings.has_api_namespace() &&
           spelling_of(settings.chart.at({"apiServerProxyConfig", "mode"})) == "true";
}

// The last entry of a name wins, as in a container.
std::vector<const Value*> users_env(const Settings& settings) {
    std::vector<const Value*> entries;
    const auto all = items_of(settings.chart.at({"operatorConfig", "extraEnv"}));
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string_view name = repo::text_of(all[i], "name");
        const bool repeated = std::ranges::any_of(all.subspan(i + 1), [&](const Value& later) {
            return repo::text_of(later, "name") == name;
        });
        const bool consumed = std::ranges::find(kConsumedEnv, name) != kConsumedEnv.end();
        if (!name.empty() && !repeated && !consumed && !classify::is_operator_env(name)) {
            entries.push_back(&all[i]);
        }
    }
    return entries;
}

// The chart's order. An empty login server is left out: an empty value would be dropped by the API
// server and then differ from what was rendered.
Value controller_env(const Settings& settings) {
    Value env = Value::list();
    env.append(variable("OPERATOR_LOGGING",
                        text_at(settings.chart, {"operatorConfig", "logging"}, "info")));
    env.append(field_variable("OPERATOR_NAMESPACE", "metadata.namespace"));
    if (!settings.login_server.empty()) {
        env.append(variable("OPERATOR_LOGIN_SERVER", settings.login_server));
    }
    env.append(variable("OPERATOR_INGRESS_CLASS_NAME", settings.ingress_class));
    add_credentials(settings, env);
    env.append(variable("PROXY_TAGS", fmt::format("{}", fmt::join(settings.default_tags, ","))));
    env.append(field_variable(variable::kPodName, "metadata.name"));
    env.append(field_variable(variable::kPodUid, "metadata.uid"));
    if (settings.cleanup_delay != kDefaultCleanupDelay) {
        env.append(variable(kCleanupDelayVariable, fmt::format("{}", settings.cleanup_delay)));
    }
    if (!settings.take_over_tag.empty()) {
        env.append(variable(kTakeOverVariable, settings.take_over_tag));
    }
    if (serves_api_apart(settings)) {
        env.append(variable(kApiNamespaceVariable, settings.api_ns));
    }
    for (const Value* entry : users_env(settings)) {
        env.append(entry->clone());
    }
    return env;
}

Value controller_cluster_rules() {
    Value rules = Value::list();
    add_parent_rules("", rules);
    rules.append(rule(kind_of("Event"), {"create", "patch"}));
    add_parent_rules("networking.k8s.io", rules);
    add_parent_rules(kCustomGroup, rules);
    return rules;
}

std::vector<std::string> controllers_config_maps() {
    std::vector<std::string> names{std::string(kDnsRecords), std::string(kIngressAddresses),
                                   std::string(kDevicesTable)};
    for (std::size_t table = 1; table < kDeviceTables; ++table) {
        names.push_back(fmt::format("{}-{}", kDevicesTable, table));
    }
    return names;
}

Value controller_rules(const Settings& settings) {
    Value rules = Value::list({
        rule(kind_of("Secret"), {"create", "delete", "get", "list", "patch", "update", "watch"}),
        rule(kind_of("ConfigMap"), {"create", "get", "list", "watch"}),
        rule(kind_of("ConfigMap"), {"update"}, controllers_config_maps()),
        rule(kind_of("Pod"), {"delete", "get", "list", "watch"}),
        rule(kind_of("StatefulSet"), {"get", "list", "watch"}),
        rule(kind_of("EndpointSlice"), {"list", "watch"}),
        rule(kind_of("Lease"), {"create"}),
        rule(kind_of("Lease"), {"get", "update"}, {std::string(kLeaseName)}),
    });
    if (settings.release.has(Trait::TailnetIdentity)) {
        const Kind& account = kind_of("ServiceAccount");
        rules.append(rule(account.group(), {fmt::format("{}/token", account.plural)}, {"create"},
                          {settings.names.name}));
    }
    return rules;
}

Value controller_api_rules() {
    const std::string pod(kApiProxyPod);
    return Value::list({
        rule(kind_of("Secret"), {"get", "list", "patch", "watch"}, {pod, auth_secret_name(pod)}),
        rule(kind_of("Pod"), {"delete", "get", "list", "watch"}, {pod}),
        rule(kind_of("StatefulSet"), {"get", "list", "watch"}, {std::string(kApiProxyName)}),
    });
}

std::string controller_pull_policy(const Settings& settings) {
    if (!settings.image.pull_policy.empty()) {
        return settings.image.pull_policy;
    }
    return settings.image.pinned() ? "IfNotPresent" : "Always";
}

void make_controller(Value& container, const Settings& settings) {
    container.erase("command");
    container.put("image", settings.image.reference());
    container.put("imagePullPolicy", controller_pull_policy(settings));
    container.put("args", Value::list({"controller"}));
    container.put("env", controller_env(settings));
    container.put("ports",
                  Value::list({Value::map(
                      {{"containerPort", port::kLocal}, {"name", "http"}, {"protocol", "TCP"}})}));
    container.put("livenessProbe", probe("/healthz"));
    container.put("readinessProbe", probe("/readyz"));
    container.erase("startupProbe");
}

}  // namespace renderer::plan
