#include "renderer/generate/workload/workload_objects.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>

#include "renderer/contract/annotations.h"
#include "renderer/contract/auth_secret.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/ports.h"
#include "renderer/generate/workload/proxy_class.h"

namespace renderer::generate {

namespace {

// Each probe starts a program in the container; only a rolling update waits for the answer.
constexpr int kReadyPatience = 5;  // seconds
constexpr int kReadyFailures = 6;  // in a row
constexpr std::string_view kTunnelVolume = "tun";
constexpr std::string_view kTunnelDevice = "/dev/net/tun";
constexpr std::string_view kEnableForwarding =
    "sysctl -w net.ipv4.ip_forward=1 && if sysctl net.ipv6.conf.all.forwarding; then sysctl -w "
    "net.ipv6.conf.all.forwarding=1; fi";
constexpr std::string_view kWriteForwarding =
    "echo 1 > /proc/sys/net/ipv4/ip_forward && if [ -e /proc/sys/net/ipv6/conf/all/forwarding ]; "
    "then echo 1 > /proc/sys/net/ipv6/conf/all/forwarding; fi";

Value secret_volume(std::string_view name, std::string_view secret, std::string_view item) {
    Value source = Value::map({{"secretName", secret}});
    put_if(source, !item.empty(), "items",
           Value::list({Value::map({{"key", item}, {"path", item}})}));
    return Value::map({{"name", name}, {"secret", std::move(source)}});
}

// Calls `visit(volume, its name in the pod, the ordinal)`.
template <typename Visit>
void for_each_volume(const plan::Workload& workload, const Visit& visit) {
    for (const plan::ReplicaVolume& volume : workload.volumes) {
        for (std::size_t i = 0; i < workload.hostnames.size(); ++i) {
            visit(volume, fmt::format("{}-{}", volume.name, i), i);
        }
    }
}

}  // namespace

Value metadata(const plan::Workload& workload, std::string_view name) {
    return Value::map(
        {{"name", name}, {"namespace", workload.ns}, {"labels", plan::labels_of(workload)}});
}

void add_object(const plan::Workload& workload, Value root, Objects& objects) {
    objects.push_back({.root = std::move(root),
                       .origin = workload.origin,
                       .bundle = workload.bundle,
                       .generator = workload.generator});
}

Value service_account(const plan::Workload& workload) {
    return Value::map({{"apiVersion", "v1"},
                       {"kind", "ServiceAccount"},
                       {"metadata", metadata(workload, workload.account)}});
}

void add_pull_secrets(const plan::Settings& settings, Value& account) {
    const Value* secrets = settings.chart.find("imagePullSecrets");
    const bool is_set = secrets != nullptr && secrets->is_list() && secrets->size() > 0;
    if (is_set && settings.release.has(plan::Trait::PullSecretsOnAccounts)) {
        account.add("imagePullSecrets", secrets->clone());
    }
}

Value name_rule(std::string_view resources, Value names, Value verbs) {
    return Value::map({{"apiGroups", Value::list({""})},
                       {"resources", Value::list({Value::borrowed(resources)})},
                       {"resourceNames", std::move(names)},
                       {"verbs", std::move(verbs)}});
}

void add_followed_secrets(const plan::Workload& workload, Value& rules) {
    if (workload.dataplane != plan::Dataplane::Native || workload.hostnames.empty()) {
        return;
    }
    Value names = Value::list();
    for (std::size_t i = 0; i < workload.hostnames.size(); ++i) {
        names.append(config_secret_name(workload.pod(i)));
        names.append(auth_secret_name(workload.pod(i)));
    }
    rules.append(name_rule("secrets", std::move(names), Value::list({"get", "watch"})));
}

Value role(const plan::Workload& workload, Value rules) {
    return Value::map({{"apiVersion", "rbac.authorization.k8s.io/v1"},
                       {"kind", "Role"},
                       {"metadata", metadata(workload, workload.name)},
                       {"rules", std::move(rules)}});
}

Value role_binding(const plan::Workload& workload) {
    return Value::map({{"apiVersion", "rbac.authorization.k8s.io/v1"},
                       {"kind", "RoleBinding"},
                       {"metadata", metadata(workload, workload.name)},
                       {"roleRef", Value::map({{"apiGroup", "rbac.authorization.k8s.io"},
                                               {"kind", "Role"},
                                               {"name", workload.name}})},
                       {"subjects", Value::list({Value::map({{"kind", "ServiceAccount"},
                                                             {"name", workload.account},
                                                             {"namespace", workload.ns}})})}});
}

Value health_probe() {
    return Value::map({{"failureThreshold", 10},
                       {"httpGet", Value::map({{"path", "/healthz"}, {"port", port::kLocal}})},
                       {"periodSeconds", 1}});
}

Value ready_probe() {
    return Value::map(
        {{"exec", Value::map({{"command", Value::list({"tailrender-proxy", "ready"})}})},
         {"failureThreshold", kReadyFailures},
         {"periodSeconds", kReadyPeriod},
         {"timeoutSeconds", kReadyPatience}});
}

Value pod_names(const plan::Workload& workload) {
    Value names = Value::list();
    for (std::size_t i = 0; i < workload.hostnames.size(); ++i) {
        names.append(workload.pod(i));
    }
    return names;
}

Value config_secret(const plan::Workload& workload, std::size_t ordinal, Value data) {
    return Value::map({{"apiVersion", "v1"},
                       {"kind", "Secret"},
                       {"metadata", metadata(workload, config_secret_name(workload.pod(ordinal)))},
                       {"data", std::move(data)}});
}

Value contract_map(const plan::Workload& workload, std::string_view name, Value data) {
    Value head = metadata(workload, name);
    head.add("annotations",
             Value::map({{Value::borrowed(kContractAnnotation), Value::borrowed(kContractVersion)},
                         {Value::borrowed(kParentAnnotation), workload.origin.parent}}));
    Value root =
        Value::map({{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", std::move(head)}});
    if (data.size() > 0) {
        root.add("data", std::move(data));
    }
    return root;
}

Value env(std::string_view name, std::string_view value) {
    Value entry = Value::map({{"name", Value::borrowed(name)}});
    put_if(entry, !value.empty(), "value", value);
    return entry;
}

Value env_from_field(std::string_view name, std::string_view field) {
    return Value::map(
        {{"name", Value::borrowed(name)},
         {"valueFrom",
          Value::map({{"fieldRef", Value::map({{"fieldPath", Value::borrowed(field)}})}})}});
}

void make_env_unique(Value& container) {
    Value* env = container.find("env");
    if (env == nullptr) {
        return;
    }
    Value unique = Value::list();
    const auto items = env->items();
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string_view name = items[i].find("name")->text();
        const auto later = items.subspan(i + 1);
        if (std::ranges::none_of(
                later, [&](const Value& other) { return other.find("name")->text() == name; })) {
            unique.append(std::move(items[i]));
        }
    }
    *env = std::move(unique);
}

void add_volumes(const plan::Workload& workload, Value& volumes) {
    for_each_volume(workload, [&](const plan::ReplicaVolume& volume, const std::string& name,
                                  std::size_t ordinal) {
        volumes.append(secret_volume(
            name, fmt::format("{}-{}", workload.pod(ordinal), volume.secret), volume.item));
    });
}

void add_mounts(const plan::Workload& workload, Value& mounts) {
    for_each_volume(workload, [&](const plan::ReplicaVolume& volume, const std::string& name,
                                  std::size_t ordinal) {
        mounts.append(
            read_only_mount(name, fmt::format("{}/{}", volume.directory, workload.pod(ordinal))));
    });
}

Value read_only_mount(std::string_view name, std::string_view path) {
    return Value::map({{"mountPath", path}, {"name", name}, {"readOnly", true}});
}

Value bare_container(const plan::Workload& workload, std::string_view name, Value environment) {
    Value made = Value::map({{"name", Value::borrowed(name)}, {"image", workload.image}});
    if (environment.size() > 0) {
        made.add("env", std::move(environment));
        make_env_unique(made);
    }
    put_if(made, !workload.pull_policy.empty(), "imagePullPolicy", workload.pull_policy);
    return made;
}

Value container(const plan::Workload& workload, std::string_view name, Value environment) {
    for (const plan::EnvVariable& variable : workload.env) {
        environment.append(env(variable.name, variable.value));
    }
    return bare_container(workload, name, std::move(environment));
}

Value proxy_resources() {
    return Value::map({{"requests", Value::map({{"cpu", "1m"}, {"memory", "1Mi"}})}});
}

Value sysctl_container(const plan::Workload& workload) {
    const bool writes = workload.release.has(plan::Trait::SysctlWithoutProgram) ||
                        workload.dataplane == plan::Dataplane::Native;
    return Value::map(
        {{"name", "sysctler"},
         {"image", workload.image},
         {"command", Value::list({"/bin/sh", "-c"})},
         {"args", Value::list({Value::borrowed(writes ? kWriteForwarding : kEnableForwarding)})},
         {"securityContext", Value::map({{"privileged", true}})}});
}

Value forwarding_security_context(const plan::Workload& workload) {
    if (workload.privileges == plan::Privileges::Privileged) {
        return Value::map({{"privileged", true}});
    }
    Value added = Value::list({"NET_ADMIN"});
    // Traffic of the cluster reaches tailscaled at ports of the pod below 1024.
    const auto* proxy = workload.as<plan::ProxyPlan>();
    if (proxy != nullptr && proxy->target == plan::Target::Serve) {
        added.append("NET_BIND_SERVICE");
    }
    return Value::map(
        {{"allowPrivilegeEscalation", false},
         {"capabilities", Value::map({{"add", std::move(added)}, {"drop", Value::list({"ALL"})}})},
         {"runAsGroup", 0},
         {"runAsUser", 0},
         {"seccompProfile", Value::map({{"type", "RuntimeDefault"}})}});
}

void add_tunnel_device(const plan::Workload& workload, Value& volumes) {
    if (workload.privileges == plan::Privileges::Capabilities) {
        volumes.append(Value::map(
            {{"name", Value::borrowed(kTunnelVolume)},
             {"hostPath",
              Value::map({{"path", Value::borrowed(kTunnelDevice)}, {"type", "CharDevice"}})}}));
    }
}

void add_tunnel_mount(const plan::Workload& workload, Value& mounts) {
    if (workload.privileges == plan::Privileges::Capabilities) {
        mounts.append(Value::map({{"mountPath", Value::borrowed(kTunnelDevice)},
                                  {"name", Value::borrowed(kTunnelVolume)}}));
    }
}

Value restricted_security_context(int user) {
    return Value::map({{"allowPrivilegeEscalation", false},
                       {"capabilities", Value::map({{"drop", Value::list({"ALL"})}})},
                       {"readOnlyRootFilesystem", true},
                       {"runAsGroup", user},
                       {"runAsNonRoot", true},
                       {"runAsUser", user},
                       {"seccompProfile", Value::map({{"type", "RuntimeDefault"}})}});
}

Value contract_annotations(const plan::Workload& workload) {
    Value contract = Value::map(
        {{Value::borrowed(kContractAnnotation), Value::borrowed(kContractVersion)},
         {Value::borrowed(kHostnameAnnotation),
          fmt::format("{}", fmt::join(workload.hostnames, ","))},
         {Value::borrowed(kParentAnnotation), workload.origin.parent},
         {Value::borrowed(kTagsAnnotation), fmt::format("{}", fmt::join(workload.tags, ","))}});
    put_if(contract, !workload.tailnet.empty(), Value::borrowed(kTailnetAnnotation),
           workload.tailnet);
    return contract;
}

Value stateful_set(const plan::Workload& workload, Value spec) {
    spec.add("replicas", static_cast<std::int64_t>(workload.hostnames.size()));
    Value head = metadata(workload, workload.name);
    head.add("annotations", contract_annotations(workload));
    Value root = Value::map({{"apiVersion", "apps/v1"},
                             {"kind", "StatefulSet"},
                             {"metadata", std::move(head)},
                             {"spec", std::move(spec)}});
    if (workload.proxy_class != nullptr) {
        apply_proxy_class(*workload.proxy_class,
                          {.endpoints = !workload.metrics_type.empty(),
                           .certificates = workload.certificates,
                           .image = workload.dataplane == plan::Dataplane::Containerboot},
                          root);
    }
    return root;
}

}  // namespace renderer::generate
