#include "renderer/generate/group/egress_group.h"

#include <fmt/format.h>

#include "renderer/base/base64.h"
#include "renderer/contract/group_config.h"
#include "renderer/contract/labels.h"
#include "renderer/contract/ports.h"
#include "renderer/generate/group/group_config.h"
#include "renderer/generate/workload/workload_objects.h"
#include "renderer/kube/kinds.h"

namespace renderer::generate {

namespace {

constexpr std::size_t kPingsPerReplica = 3;

Value service_port(std::string_view name, std::string_view protocol, std::int64_t port,
                   std::int64_t target_port) {
    return Value::map({{"name", name},
                       {"port", port},
                       {"protocol", Value::borrowed(protocol)},
                       {"targetPort", target_port}});
}

Value ports(const plan::EgressMember& member) {
    Value list = Value::list();
    for (const plan::GroupPort& port : member.ports) {
        list.append(service_port(port.name, port.protocol, port.port, port.match_port));
    }
    list.append(service_port("tailscale-health-check", "TCP", member.health_port, port::kLocal));
    return list;
}

Value member_metadata(const plan::EgressMember& member, std::string_view ns) {
    return Value::map(
        {{"name", member.name},
         {"namespace", ns},
         {"labels", Value::map({{label::kManaged, "true"},
                                {label::kParent, member.parent_name},
                                {label::kParentNamespace, member.parent_ns},
                                {label::kParentType, std::string_view(kServicePods.parent_type)},
                                {label::kProxyGroup, member.group},
                                {label::kServiceType, label::kEgress}})}});
}

Value cluster_ip_service(const plan::EgressMember& member, const plan::Settings& settings) {
    Value spec = Value::map(
        {{"ports", ports(member)},
         {"selector",
          Value::map({{label::kManaged, "true"},
                      {label::kParent, member.group},
                      {label::kParentType, std::string_view(kProxyGroupPods.parent_type)}})},
         {"type", "ClusterIP"}});
    put_if(spec, settings.release.has(plan::Trait::EgressDualStack), "ipFamilyPolicy",
           "PreferDualStack");
    return Value::map({{"apiVersion", "v1"},
                       {"kind", "Service"},
                       {"metadata", member_metadata(member, settings.ns)},
                       {"spec", std::move(spec)}});
}

}  // namespace

Value egress_config_volume(const plan::Workload& workload) {
    return Value::map({{"configMap", Value::map({{"name", egress_config_name(workload.name)}})},
                       {"name", egress_config_name(workload.name)}});
}

Value egress_config_map(const plan::Workload& workload, const plan::Plan& plan) {
    const std::string services = egress_services(workload, plan);
    Value data = Value::map();
    put_if(data, !services.empty(), kEgressDatum, encode_base64(services));
    data.add(kPingsDatum,
             encode_base64(fmt::format("{}", kPingsPerReplica * workload.hostnames.size())));
    return Value::map({{"apiVersion", "v1"},
                       {"kind", "ConfigMap"},
                       {"metadata", metadata(workload, egress_config_name(workload.name))},
                       {"binaryData", std::move(data)}});
}

void generate_egress_services(const plan::Plan& plan, Objects& objects) {
    for (const plan::EgressMember& member : plan.egress_members) {
        objects.push_back({.root = cluster_ip_service(member, plan.settings),
                           .origin = member.origin,
                           .bundle = member.bundle,
                           .generator = "proxy-group"});
    }
}

}  // namespace renderer::generate
