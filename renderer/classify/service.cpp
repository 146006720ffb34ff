#include "renderer/classify/service.h"

#include <array>

#include "renderer/classify/checked_choice.h"
#include "renderer/classify/fields.h"
#include "renderer/classify/parent.h"
#include "renderer/core/text_of.h"

namespace renderer::classify {

namespace {

using Type = std::pair<std::string_view, ServiceType>;
constexpr std::array kTypes = {Type{"ClusterIP", ServiceType::ClusterIp},
                               Type{"NodePort", ServiceType::NodePort},
                               Type{"LoadBalancer", ServiceType::LoadBalancer},
                               Type{"ExternalName", ServiceType::ExternalName}};

using ProtocolName = std::pair<std::string_view, Protocol>;
constexpr std::array kProtocols = {ProtocolName{"TCP", Protocol::Tcp},
                                   ProtocolName{"UDP", Protocol::Udp},
                                   ProtocolName{"SCTP", Protocol::Sctp}};

using Family = std::pair<std::string_view, IpFamily>;
constexpr std::array kFamilies = {Family{"IPv4", IpFamily::V4}, Family{"IPv6", IpFamily::V6}};

using Policy = std::pair<std::string_view, IpFamilyPolicy>;
constexpr std::array kPolicies = {Policy{"SingleStack", IpFamilyPolicy::Single},
                                  Policy{"PreferDualStack", IpFamilyPolicy::PreferDual},
                                  Policy{"RequireDualStack", IpFamilyPolicy::RequireDual}};

ServicePort decode_service_port(const Value& entry, std::vector<Diagnostic>& faults) {
    const Fields fields(&entry);
    ServicePort port;
    port.name = fields.text("name");
    port.port = fields.number("port").value_or(0);
    port.pos = known_or(fields.pos("port"), entry.pos());
    port.protocol = checked_choice(fields, "protocol", "spec.ports[].protocol", kProtocols,
                                   Protocol::Tcp, faults);
    port.node_port = fields.number("nodePort").value_or(0);
    port.target_port = fields.any("targetPort");
    port.app_protocol = fields.text("appProtocol");
    return port;
}

void decode_families(const Fields& spec, ServiceInput& service) {
    for (const TextInput& family : spec.texts("ipFamilies")) {
        service.ip_families.push_back(
            checked_choice(family, "spec.ipFamilies[]", kFamilies, IpFamily::V4, service.faults));
    }
    service.families_pos =
        known_or(spec.pos("ipFamilies"), known_or(spec.pos("ipFamilyPolicy"), service.pos()));
    service.ip_family_policy = checked_choice(spec, "ipFamilyPolicy", "spec.ipFamilyPolicy",
                                              kPolicies, IpFamilyPolicy::Unset, service.faults);
}

void decode_address(const Fields& spec, ServiceInput& service) {
    const std::string_view address = spec.text("clusterIP");
    service.headless = address == "None";
    service.cluster_ip = service.headless ? std::string_view() : address;
    service.cluster_ip_pos = spec.pos("clusterIP");
}

}  // namespace

ServiceInput decode_service(const Document& doc) {
    ServiceInput service;
    decode_metadata(doc, service);
    const Fields spec(doc.root.find("spec"));
    service.type =
        checked_choice(spec, "type", "spec.type", kTypes, ServiceType::ClusterIp, service.faults);
    decode_address(spec, service);
    service.external_name = spec.text("externalName");
    service.has_load_balancer_class = spec.any("loadBalancerClass") != nullptr;
    service.load_balancer_class = spec.text("loadBalancerClass");
    decode_families(spec, service);
    for (const Value& entry : items_of(spec.list("ports"))) {
        service.ports.push_back(decode_service_port(entry, service.faults));
    }
    return service;
}

}  // namespace renderer::classify
