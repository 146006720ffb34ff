#include "renderer/generate/group/proxy_group.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "renderer/base/base64.h"
#include "renderer/generate/group/api_group.h"
#include "renderer/generate/group/egress_group.h"
#include "renderer/generate/group/group_config.h"
#include "renderer/generate/group/group_services.h"
#include "renderer/generate/group/ingress_group.h"
#include "renderer/generate/group/static_endpoints.h"
#include "renderer/generate/workload/pod_parts.h"
#include "renderer/generate/workload/proxy_class.h"
#include "renderer/kube/api.h"
#include "renderer/plan/group/group_class.h"

namespace renderer {

namespace {

// Longer than the preStop hook and the time that connections get to end. The operator means to
// say so with a field that pods do not take from a template.
constexpr int kEgressGracePeriod = 360;
constexpr int kGracePeriod = 10;  // without effect, as the operator writes it
constexpr std::string_view kPreStopPath = "/internal-egress-services-preshutdown";

bool is_egress(const ProxyGroupPlan& group) {
    return group.type == GroupType::Egress;
}

// Pods wait in their preStop hook until no one uses them any more. The hook is asked at a port that
// a class can move.
bool drains(const ProxyGroupPlan& group) {
    return is_egress(group) && !moves_local_port(group);
}

Value labels(const ProxyGroupPlan& group) {
    return Value::map({{"tailscale.com/managed", "true"},
                       {"tailscale.com/parent-resource", group.name},
                       {"tailscale.com/parent-resource-type", "proxygroup"}});
}

Value service_account(const ProxyGroupPlan& group) {
    return Value::map({{"apiVersion", "v1"},
                       {"kind", "ServiceAccount"},
                       {"metadata", group_metadata(group, group.service_account)}});
}

Value secret_rule(Value names, Value verbs) {
    return Value::map({{"apiGroups", Value::list({""})},
                       {"resources", Value::list({"secrets"})},
                       {"resourceNames", std::move(names)},
                       {"verbs", std::move(verbs)}});
}

// Each pod needs its own state Secret; by one account they reach each other's. Certificates are
// shared: one pod writes them, all read them. Pods of type kube-apiserver follow their
// configuration through the API.
Value role(const ProxyGroupPlan& group, const Offered& offered) {
    Value written = Value::list();
    Value followed = Value::list();
    for (std::size_t i = 0; i < group.hostnames.size(); ++i) {
        written.append(group.pod(i));
        followed.append(fmt::format("{}-config", group.pod(i)));
    }
    for (const OfferedService* service : offered) {
        if (!service->dns_name.empty() && !group.hostnames.empty()) {
            written.append(service->dns_name);
        }
    }
    Value rules = Value::list();
    if (!group.hostnames.empty()) {
        rules.append(secret_rule(std::move(written), Value::list({"get", "update", "patch"})));
        if (group.type == GroupType::KubeApiServer) {
            rules.append(secret_rule(std::move(followed), Value::list({"get", "watch"})));
        }
    }
    return Value::map({{"apiVersion", "rbac.authorization.k8s.io/v1"},
                       {"kind", "Role"},
                       {"metadata", group_metadata(group, group.name)},
                       {"rules", std::move(rules)}});
}

Value role_binding(const ProxyGroupPlan& group) {
    return Value::map({{"apiVersion", "rbac.authorization.k8s.io/v1"},
                       {"kind", "RoleBinding"},
                       {"metadata", group_metadata(group, group.name)},
                       {"roleRef", Value::map({{"apiGroup", "rbac.authorization.k8s.io"},
                                               {"kind", "Role"},
                                               {"name", group.name}})},
                       {"subjects", Value::list({Value::map({{"kind", "ServiceAccount"},
                                                             {"name", group.service_account},
                                                             {"namespace", group.ns}})})}});
}

Value config_secret(const ProxyGroupPlan& group, const Offered& offered, std::size_t ordinal) {
    Value metadata = group_metadata(group, fmt::format("{}-config", group.pod(ordinal)));
    metadata.find("labels")->add("tailscale.com/secret-type", "config");
    return Value::map(
        {{"apiVersion", "v1"},
         {"kind", "Secret"},
         {"metadata", std::move(metadata)},
         {"data",
          Value::map({{"cap-106.hujson", encode_base64(group_config(group, offered, ordinal))}})}});
}

Value environment(const ProxyGroupPlan& group) {
    Value list = Value::list(
        {env("TS_USERSPACE", "false"), env_from_field("POD_IP", "status.podIP"),
         env_from_field("POD_NAME", "metadata.name"), env_from_field("POD_UID", "metadata.uid"),
         env_from_field("POD_IPS", "status.podIPs"), env("TS_KUBE_SECRET", "$(POD_NAME)"),
         env("TS_EXPERIMENTAL_SERVICE_AUTO_ADVERTISEMENT", "false"),
         env("TS_STATE", "kube:$(POD_NAME)"),
         env("TS_EXPERIMENTAL_VERSIONED_CONFIG_DIR", "/etc/tsconfig/$(POD_NAME)"),
         env("TS_DEBUG_ACME_FORCE_RENEWAL", "true")});
    if (group.tailscaled_port != 0) {
        list.append(env("PORT", fmt::format("{}", group.tailscaled_port)));
    }
    if (!group.firewall_mode.empty()) {
        list.append(env("TS_DEBUG_FIREWALL_MODE", group.firewall_mode));
    }
    is_egress(group) ? append_egress_environment(list) : append_ingress_environment(list);
    return list;
}

// Every pod mounts what belongs to every replica and picks its own by name: a StatefulSet has one
// template.
template <typename Entry>
Value for_each_replica(const ProxyGroupPlan& group, Entry entry) {
    Value list = Value::list();
    for (const std::string_view kind : {"tailscaledconfig", "auth"}) {
        for (std::size_t i = 0; i < group.hostnames.size(); ++i) {
            list.append(entry(kind, i));
        }
    }
    return list;
}

Value volumes(const ProxyGroupPlan& group) {
    Value list = for_each_replica(group, [&](std::string_view kind, std::size_t i) {
        const bool auth = kind == "auth";
        return secret_volume(fmt::format("{}-{}", kind, i),
                             fmt::format("{}-{}", group.pod(i), auth ? "auth" : "config"),
                             auth ? "authkey" : "");
    });
    list.append(is_egress(group) ? egress_config_volume(group) : ingress_config_volume(group));
    return list;
}

Value mounts(const ProxyGroupPlan& group) {
    Value list = for_each_replica(group, [&](std::string_view kind, std::size_t i) {
        return read_only_mount(
            fmt::format("{}-{}", kind, i),
            fmt::format("/etc/{}/{}", kind == "auth" ? "tsauth" : "tsconfig", group.pod(i)));
    });
    list.append(read_only_mount(
        is_egress(group) ? egress_config_name(group) : ingress_config_name(group), "/etc/proxies"));
    return list;
}

Value pre_stop() {
    return Value::map(
        {{"preStop", Value::map({{"httpGet", Value::map({{"path", Value::borrowed(kPreStopPath)},
                                                         {"port", kHealthPort}})}})}});
}

Value container(const ProxyGroupPlan& group) {
    Value made = Value::map(
        {{"name", "tailscale"},
         {"image", group.image},
         {"imagePullPolicy", Value::borrowed(group.pull_policy)},
         {"env", environment(group)},
         {"resources", Value::map({{"requests", Value::map({{"cpu", "1m"}, {"memory", "1Mi"}})}})},
         {"securityContext", Value::map({{"privileged", true}})},
         {"volumeMounts", mounts(group)}});
    if (drains(group)) {
        made.add("lifecycle", pre_stop());
    }
    if (!moves_local_port(group)) {
        made.add("readinessProbe", group_readiness_probe());
    }
    return made;
}

Value pod_spec(const ProxyGroupPlan& group) {
    Value spec = Value::map({{"serviceAccountName", group.service_account}});
    if (group.type == GroupType::KubeApiServer) {
        spec.add("containers", Value::list({api_container(group)}));
        return spec;
    }
    spec.add("containers", Value::list({container(group)}));
    spec.add("initContainers", Value::list({sysctl_container(group.image)}));
    put_if(spec, drains(group), "terminationGracePeriodSeconds", kEgressGracePeriod);
    spec.add("volumes", volumes(group));
    return spec;
}

Value pod_template(const ProxyGroupPlan& group) {
    return Value::map(
        {{"metadata",
          Value::map(
              {{"annotations",
                Value::map({{Value::borrowed(kConfigHashAnnotation), group_config_hash(group)}})},
               {"deletionGracePeriodSeconds", drains(group) ? kEgressGracePeriod : kGracePeriod},
               {"labels", labels(group)},
               {"name", group.name},
               {"namespace", group.ns}})},
         {"spec", pod_spec(group)}});
}

Value stateful_set(const ProxyGroupPlan& group) {
    Value contract = Value::map(
        {{Value::borrowed(kContractAnnotation), Value::borrowed(kContractVersion)},
         {Value::borrowed(kHostnameAnnotation), fmt::format("{}", fmt::join(group.hostnames, ","))},
         {Value::borrowed(kParentAnnotation), group.origin.parent},
         {Value::borrowed(kTagsAnnotation), fmt::format("{}", fmt::join(group.tags, ","))}});
    put_if(contract, !group.tailnet.empty(), Value::borrowed(kTailnetAnnotation), group.tailnet);
    Value head = group_metadata(group, group.name);
    head.add("annotations", std::move(contract));
    Value made = Value::map(
        {{"apiVersion", "apps/v1"},
         {"kind", "StatefulSet"},
         {"metadata", std::move(head)},
         {"spec", Value::map({{"replicas", static_cast<std::int64_t>(group.hostnames.size())},
                              {"selector", Value::map({{"matchLabels", labels(group)}})},
                              {"serviceName", ""},
                              {"template", pod_template(group)}})}});
    if (group.proxy_class != nullptr) {
        apply_proxy_class(*group.proxy_class, {.certificates = group.type != GroupType::Egress},
                          made);
    }
    return made;
}

void append_group(const ProxyGroupPlan& group, const Plan& plan, Objects& objects) {
    const Offered offered = offered_by(group, plan);
    const bool api = group.type == GroupType::KubeApiServer;
    if (group.service_account == group.name) {
        objects.push_back(group_object(group, service_account(group)));
    }
    for (std::size_t i = 0; !api && i < group.hostnames.size(); ++i) {
        objects.push_back(group_object(group, config_secret(group, offered, i)));
    }
    objects.push_back(group_object(group, role(group, offered)));
    objects.push_back(group_object(group, role_binding(group)));
    if (is_egress(group)) {
        objects.push_back(group_object(group, egress_config_map(group, plan)));
    } else {
        objects.push_back(group_object(group, group_services_map(group, offered)));
    }
    if (group.type == GroupType::Ingress) {
        objects.push_back(group_object(group, ingress_config_map(group, offered)));
    }
    objects.push_back(group_object(group, stateful_set(group)));
    append_node_port_services(group, objects);
}

}  // namespace

Value group_metadata(const ProxyGroupPlan& group, std::string_view name) {
    return Value::map({{"name", name}, {"namespace", group.ns}, {"labels", labels(group)}});
}

Object group_object(const ProxyGroupPlan& group, Value root) {
    return {.root = std::move(root),
            .origin = group.origin,
            .bundle = group.bundle,
            .generator = kGroupGenerator};
}

Value group_readiness_probe() {
    return Value::map({{"failureThreshold", 10},
                       {"httpGet", Value::map({{"path", "/healthz"}, {"port", kHealthPort}})},
                       {"periodSeconds", 1}});
}

void generate_proxy_group(const Plan& plan, Objects& objects) {
    for (const ProxyGroupPlan& group : plan.groups) {
        append_group(group, plan, objects);
    }
    append_egress_services(plan, objects);
}

}  // namespace renderer
