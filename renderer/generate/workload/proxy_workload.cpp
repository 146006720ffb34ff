#include "renderer/generate/workload/proxy_workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>

#include "renderer/base/base64.h"
#include "renderer/generate/workload/pod_parts.h"
#include "renderer/generate/workload/proxy_class.h"
#include "renderer/generate/workload/proxy_config.h"
#include "renderer/kube/api.h"
#include "renderer/plan/workload/metrics.h"

namespace renderer {

namespace {

constexpr int kNobody = 65532;
constexpr int kTemplateGracePeriod = 10;  // seconds; the operator sends it, pods ignore it

// One proxy and the names that several of its objects share.
struct Workload {
    const ProxyPlan& proxy;
    std::vector<std::string> pods;  // of each replica

    explicit Workload(const ProxyPlan& plan) : proxy(plan) {
        for (std::size_t i = 0; i < plan.hostnames.size(); ++i) {
            pods.push_back(plan.pod(i));
        }
    }
    [[nodiscard]] std::string config_secret(std::size_t ordinal) const {
        return pods[ordinal] + "-config";
    }
};

Value labels(const ProxyPlan& proxy) {
    return Value::map({{"tailscale.com/managed", "true"},
                       {"tailscale.com/parent-resource", proxy.parent_name},
                       {"tailscale.com/parent-resource-ns", proxy.parent_ns},
                       {"tailscale.com/parent-resource-type", Value::borrowed(proxy.parent_type)}});
}

Value pod_labels(const ProxyPlan& proxy) {
    Value all = labels(proxy);
    all.add("app", proxy.name);
    return all;
}

Value metadata(const ProxyPlan& proxy, std::string_view name) {
    return Value::map({{"name", name}, {"namespace", proxy.ns}, {"labels", labels(proxy)}});
}

Value service_account(const ProxyPlan& proxy) {
    return Value::map({{"apiVersion", "v1"},
                       {"kind", "ServiceAccount"},
                       {"metadata", metadata(proxy, proxy.name)}});
}

Value role(const Workload& workload) {
    Value secrets = Value::list();
    for (const std::string& pod : workload.pods) {
        secrets.append(pod);
    }
    return Value::map(
        {{"apiVersion", "rbac.authorization.k8s.io/v1"},
         {"kind", "Role"},
         {"metadata", metadata(workload.proxy, workload.proxy.name)},
         {"rules",
          Value::list({Value::map({{"apiGroups", Value::list({""})},
                                   {"resources", Value::list({"secrets"})},
                                   {"resourceNames", std::move(secrets)},
                                   {"verbs", Value::list({"get", "update", "patch"})}})})}});
}

Value role_binding(const ProxyPlan& proxy) {
    return Value::map(
        {{"apiVersion", "rbac.authorization.k8s.io/v1"},
         {"kind", "RoleBinding"},
         {"metadata", metadata(proxy, proxy.name)},
         {"roleRef",
          Value::map(
              {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "Role"}, {"name", proxy.name}})},
         {"subjects",
          Value::list({Value::map(
              {{"kind", "ServiceAccount"}, {"name", proxy.name}, {"namespace", proxy.ns}})})}});
}

Value headless_service(const ProxyPlan& proxy) {
    Value spec =
        Value::map({{"clusterIP", "None"}, {"selector", Value::map({{"app", proxy.name}})}});
    if (proxy.family) {
        spec.add("ipFamilyPolicy", "SingleStack");
        spec.add("ipFamilies", Value::list({*proxy.family == IpFamily::V6 ? "IPv6" : "IPv4"}));
    } else {
        spec.add("ipFamilyPolicy", "PreferDualStack");
    }
    return Value::map({{"apiVersion", "v1"},
                       {"kind", "Service"},
                       {"metadata", metadata(proxy, proxy.name)},
                       {"spec", std::move(spec)}});
}

Value config_secret(const Workload& workload, std::size_t ordinal) {
    const ProxyPlan& proxy = workload.proxy;
    Value data =
        Value::map({{"cap-107.hujson", encode_base64(tailscaled_config(proxy, ordinal, true))},
                    {"cap-95.hujson", encode_base64(tailscaled_config(proxy, ordinal, false))}});
    put_if(data, proxy.target == Target::Serve, "serve-config", encode_base64(serve_config(proxy)));
    return Value::map({{"apiVersion", "v1"},
                       {"kind", "Secret"},
                       {"metadata", metadata(proxy, workload.config_secret(ordinal))},
                       {"data", std::move(data)}});
}

Value target_env(const ProxyPlan& proxy) {
    switch (proxy.target) {
        case Target::ClusterIp:
            return env("TS_DEST_IP", proxy.target_value);
        case Target::DnsName:
            return env("TS_EXPERIMENTAL_DEST_DNS_NAME", proxy.target_value);
        case Target::TailnetIp:
            return env("TS_TAILNET_TARGET_IP", proxy.target_value);
        case Target::TailnetName:
            return env("TS_TAILNET_TARGET_FQDN", proxy.target_value);
        case Target::Serve:
        case Target::Routes:
            break;
    }
    return env("TS_SERVE_CONFIG", "/etc/tailscaled/$(POD_NAME)/serve-config");
}

Value environment(const ProxyPlan& proxy) {
    Value list = Value::list(
        {env("TS_USERSPACE", proxy.userspace ? "true" : "false"),
         env_from_field("POD_IP", "status.podIP"), env_from_field("POD_NAME", "metadata.name"),
         env_from_field("POD_UID", "metadata.uid"), env("TS_KUBE_SECRET", "$(POD_NAME)"),
         env("TS_EXPERIMENTAL_SERVICE_AUTO_ADVERTISEMENT", "false"),
         env("TS_EXPERIMENTAL_VERSIONED_CONFIG_DIR", "/etc/tsconfig/$(POD_NAME)"),
         env("TS_DEBUG_ACME_FORCE_RENEWAL", "true")});
    if (proxy.forward_cluster_traffic) {
        list.append(env("EXPERIMENTAL_ALLOW_PROXYING_CLUSTER_TRAFFIC_VIA_INGRESS", "true"));
    }
    if (!proxy.firewall_mode.empty()) {
        list.append(env("TS_DEBUG_FIREWALL_MODE", proxy.firewall_mode));
    }
    if (proxy.target != Target::Routes) {
        list.append(target_env(proxy));
    }
    list.append(env("TS_INTERNAL_APP", proxy.internal_app));
    return list;
}

// Calls `add(name, pod's ordinal)` for every volume of a kind: "<kind>-<ordinal>".
template <typename Add>
void for_each_volume(const Workload& workload, std::string_view kind, Add add) {
    for (std::size_t i = 0; i < workload.pods.size(); ++i) {
        add(fmt::format("{}-{}", kind, i), i);
    }
}

Value volumes(const Workload& workload) {
    Value list = Value::list();
    for_each_volume(workload, "tailscaledconfig", [&](const std::string& name, std::size_t i) {
        list.append(secret_volume(name, workload.config_secret(i), ""));
    });
    for_each_volume(workload, "auth", [&](const std::string& name, std::size_t i) {
        list.append(secret_volume(name, workload.pods[i] + "-auth", "authkey"));
    });
    if (workload.proxy.target == Target::Serve) {
        for_each_volume(workload, "serve-config", [&](const std::string& name, std::size_t i) {
            list.append(secret_volume(name, workload.config_secret(i), "serve-config"));
        });
    }
    if (workload.proxy.userspace) {
        list.append(Value::map({{"name", "tmp"}, {"emptyDir", Value::map()}}));
    }
    return list;
}

Value mounts(const Workload& workload) {
    Value list = Value::list();
    const auto mount_all = [&](std::string_view kind, std::string_view directory) {
        for_each_volume(workload, kind, [&](const std::string& name, std::size_t i) {
            list.append(read_only_mount(name, fmt::format("{}/{}", directory, workload.pods[i])));
        });
    };
    mount_all("tailscaledconfig", "/etc/tsconfig");
    mount_all("auth", "/etc/tsauth");
    if (workload.proxy.target == Target::Serve) {
        mount_all("serve-config", "/etc/tailscaled");
    }
    if (workload.proxy.userspace) {
        list.append(Value::map({{"mountPath", "/tmp"}, {"name", "tmp"}}));
    }
    return list;
}

// A userspace pod needs no rights at all; a kernel one programs the node's network stack.
Value security_context(const ProxyPlan& proxy) {
    if (!proxy.userspace) {
        return Value::map({{"privileged", true}});
    }
    return Value::map({{"allowPrivilegeEscalation", false},
                       {"capabilities", Value::map({{"drop", Value::list({"ALL"})}})},
                       {"readOnlyRootFilesystem", true},
                       {"runAsGroup", kNobody},
                       {"runAsNonRoot", true},
                       {"runAsUser", kNobody},
                       {"seccompProfile", Value::map({{"type", "RuntimeDefault"}})}});
}

Value container(const Workload& workload) {
    const ProxyPlan& proxy = workload.proxy;
    return Value::map(
        {{"name", "tailscale"},
         {"image", proxy.image},
         {"imagePullPolicy", Value::borrowed(proxy.pull_policy)},
         {"env", environment(proxy)},
         {"resources", Value::map({{"requests", Value::map({{"cpu", "1m"}, {"memory", "1Mi"}})}})},
         {"securityContext", security_context(proxy)},
         {"volumeMounts", mounts(workload)}});
}

// Under which key the operator remembers a target.
std::string_view last_set_key(Target target) {
    switch (target) {
        case Target::ClusterIp:
            return "tailscale.com/operator-last-set-cluster-ip";
        case Target::DnsName:
            return "tailscale.com/operator-last-set-cluster-dns-name";
        case Target::TailnetIp:
            return "tailscale.com/operator-last-set-ts-tailnet-target-ip";
        case Target::TailnetName:
            return "tailscale.com/operator-last-set-ts-tailnet-target-fqdn";
        case Target::Serve:
        case Target::Routes:
            break;
    }
    return {};
}

Value pod_annotations(const ProxyPlan& proxy) {
    Value annotations = Value::map({{Value::borrowed(kConfigHashAnnotation), config_hash(proxy)}});
    const std::string_view last_set = last_set_key(proxy.target);
    put_if(annotations, !last_set.empty(), Value::borrowed(last_set), proxy.target_value);
    return annotations;
}

Value pod_template(const Workload& workload) {
    const ProxyPlan& proxy = workload.proxy;
    Value spec = Value::map({{"serviceAccountName", proxy.name},
                             {"containers", Value::list({container(workload)})},
                             {"volumes", volumes(workload)}});
    put_if(spec, !proxy.userspace, "initContainers", Value::list({sysctl_container(proxy.image)}));
    put_if(spec, !proxy.priority_class.empty(), "priorityClassName", proxy.priority_class);
    return Value::map(
        {{"metadata", Value::map({{"annotations", pod_annotations(proxy)},
                                  {"deletionGracePeriodSeconds", kTemplateGracePeriod},
                                  {"labels", pod_labels(proxy)}})},
         {"spec", std::move(spec)}});
}

Value stateful_set(const Workload& workload) {
    const ProxyPlan& proxy = workload.proxy;
    const auto replicas = static_cast<std::int64_t>(workload.pods.size());
    Value contract = Value::map(
        {{Value::borrowed(kContractAnnotation), Value::borrowed(kContractVersion)},
         {Value::borrowed(kHostnameAnnotation), fmt::format("{}", fmt::join(proxy.hostnames, ","))},
         {Value::borrowed(kParentAnnotation), proxy.origin.parent},
         {Value::borrowed(kTagsAnnotation), fmt::format("{}", fmt::join(proxy.tags, ","))}});
    put_if(contract, !proxy.tailnet.empty(), Value::borrowed(kTailnetAnnotation), proxy.tailnet);
    Value head = metadata(proxy, proxy.name);
    head.add("annotations", std::move(contract));
    Value root = Value::map(
        {{"apiVersion", "apps/v1"},
         {"kind", "StatefulSet"},
         {"metadata", std::move(head)},
         {"spec", Value::map({{"replicas", replicas},
                              {"selector",
                               Value::map({{"matchLabels", Value::map({{"app", proxy.name}})}})},
                              {"serviceName", proxy.name},
                              {"template", pod_template(workload)}})}});
    if (proxy.proxy_class != nullptr) {
        apply_proxy_class(
            *proxy.proxy_class,
            {.endpoints = serves_endpoints(proxy), .certificates = proxy.parent_type == "ingress"},
            root);
    }
    return root;
}

}  // namespace

void append_proxy_workload(const ProxyPlan& proxy, std::string_view generator, Objects& objects) {
    const Workload workload(proxy);
    const auto add = [&](Value root) {
        objects.push_back(Object{.root = std::move(root),
                                 .origin = proxy.origin,
                                 .bundle = proxy.bundle,
                                 .generator = generator});
    };
    add(service_account(proxy));
    for (std::size_t i = 0; i < workload.pods.size(); ++i) {
        add(config_secret(workload, i));
    }
    add(role(workload));
    add(role_binding(proxy));
    add(headless_service(proxy));
    add(stateful_set(workload));
}

}  // namespace renderer
