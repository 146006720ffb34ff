#include "renderer/generate/group/egress_group.h"

#include <fmt/format.h>

#include "renderer/base/base64.h"
#include "renderer/generate/group/group_config.h"
#include "renderer/generate/group/proxy_group.h"
#include "renderer/generate/workload/pod_parts.h"

namespace renderer {

namespace {

constexpr std::size_t kPingsPerReplica = 3;

Value service_port(std::string_view name, std::string_view protocol, std::int64_t port,
                   std::int64_t target_port) {
    return Value::map({{"name", name},
                       {"port", port},
                       {"protocol", Value::borrowed(protocol)},
                       {"targetPort", target_port}});
}

Value ports(const EgressMember& member) {
    Value list = Value::list();
    for (const GroupPort& port : member.ports) {
        list.append(service_port(port.name, port.protocol, port.port, port.match_port));
    }
    list.append(service_port("tailscale-health-check", "TCP", member.health_port, kHealthPort));
    return list;
}

Value metadata(const EgressMember& member, std::string_view ns) {
    return Value::map(
        {{"name", member.name},
         {"namespace", ns},
         {"labels", Value::map({{"tailscale.com/managed", "true"},
                                {"tailscale.com/parent-resource", member.parent_name},
                                {"tailscale.com/parent-resource-ns", member.parent_ns},
                                {"tailscale.com/parent-resource-type", "svc"},
                                {"tailscale.com/proxy-group", member.group},
                                {"tailscale.com/svc-type", "egress"}})}});
}

Value cluster_ip_service(const EgressMember& member, std::string_view ns) {
    return Value::map(
        {{"apiVersion", "v1"},
         {"kind", "Service"},
         {"metadata", metadata(member, ns)},
         {"spec", Value::map({{"ports", ports(member)},
                              {"selector",
                               Value::map({{"tailscale.com/managed", "true"},
                                           {"tailscale.com/parent-resource", member.group},
                                           {"tailscale.com/parent-resource-type", "proxygroup"}})},
                              {"type", "ClusterIP"}})}});
}

}  // namespace

std::string egress_config_name(const ProxyGroupPlan& group) {
    return fmt::format("{}-egress-config", group.name);
}

Value egress_config_volume(const ProxyGroupPlan& group) {
    return Value::map({{"configMap", Value::map({{"name", egress_config_name(group)}})},
                       {"name", egress_config_name(group)}});
}

Value egress_config_map(const ProxyGroupPlan& group, const Plan& plan) {
    const std::string services = egress_services(group, plan);
    Value data = Value::map();
    put_if(data, !services.empty(), "egress-services", encode_base64(services));
    data.add("hep-pings",
             encode_base64(fmt::format("{}", kPingsPerReplica * group.hostnames.size())));
    return Value::map({{"apiVersion", "v1"},
                       {"kind", "ConfigMap"},
                       {"metadata", group_metadata(group, egress_config_name(group))},
                       {"binaryData", std::move(data)}});
}

void append_egress_environment(Value& environment) {
    environment.append(env("TS_EGRESS_SERVICES_CONFIG_PATH", "/etc/proxies/egress-services"));
    environment.append(env("TS_EGRESS_PROXIES_CONFIG_PATH", "/etc/proxies"));
    environment.append(env("TS_INTERNAL_APP", "k8s-operator-proxygroup-egress"));
    environment.append(env("TS_ENABLE_HEALTH_CHECK", "true"));
}

void append_egress_services(const Plan& plan, Objects& objects) {
    for (const EgressMember& member : plan.egress_members) {
        objects.push_back({.root = cluster_ip_service(member, plan.settings.ns),
                           .origin = member.origin,
                           .bundle = member.bundle,
                           .generator = kGroupGenerator});
    }
}

}  // namespace renderer
