#include "runtime/controller/object_status/egress_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "renderer/base/sha256.h"
#include "renderer/contract/annotations.h"
#include "renderer/contract/state_secret.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/controller/keys/device_notes.h"
#include "runtime/controller/view/objects.h"

namespace runtime::controller {

using renderer::items_of;
using renderer::text_of;
using renderer::Value;

namespace {

std::string_view annotation_of_service(const Parent& service, std::string_view key) {
    const auto found = service.annotations.find(std::string(key));
    return found == service.annotations.end() ? std::string_view() : found->second;
}

// Returns the `key` of each, with its protocol.
std::set<std::pair<std::string, std::int64_t>> ports_of(const Value* list, std::string_view key) {
    std::set<std::pair<std::string, std::int64_t>> ports;
    for (const Value& item : items_of(list)) {
        const std::string_view protocol = text_of(item.find("protocol"));
        const Value* port = item.find(key);
        ports.emplace(protocol.empty() ? "TCP" : protocol,
                      port == nullptr ? 0 : port->as_int().value_or(0));
    }
    return ports;
}

bool routes(const EgressReplica* replica, const Parent& service) {
    if (replica == nullptr) {
        return false;
    }
    const auto found = replica->targets.find(fmt::format("{}-{}", service.ns, service.name));
    return found != replica->targets.end() && found->second.has_addresses &&
           found->second.ip == annotation_of_service(service, renderer::annotation::kTailnetIp) &&
           found->second.ports == ports_of(service.spec.find("ports"), "port") &&
           without_dot(found->second.fqdn) ==
               without_dot(annotation_of_service(service, renderer::annotation::kTailnetFqdn));
}

// Returns the port as Go encodes core/v1's ServicePort: in the order of its fields, without empty
// ones except targetPort.
Value slice_port(const Value& port) {
    Value out = Value::map();
    for (const std::string_view key :
         {"name", "protocol", "appProtocol", "port", "targetPort", "nodePort"}) {
        if (const Value* value = port.find(key)) {
            out.add(Value(key), value->clone());
        } else if (key == "targetPort") {
            out.add("targetPort", 0);
        }
    }
    return out;
}

std::string configuration(const Parent& service) {
    Value ports = Value::list();
    for (const Value& port : items_of(service.spec.find("ports"))) {
        ports.append(slice_port(port));
    }
    const Value text = Value::map(
        {{"ports", std::move(ports)},
         {"tailnetTarget",
          Value::map(
              {{"ip", annotation_of_service(service, renderer::annotation::kTailnetIp)},
               {"fqdn", annotation_of_service(service, renderer::annotation::kTailnetFqdn)}})},
         {"proxyGroup", annotation_of_service(service, renderer::annotation::kProxyGroup)}});
    return fmt::format("ConfiguredFor:ProxyGroup:{}:Config:{}",
                       annotation_of_service(service, renderer::annotation::kProxyGroup),
                       renderer::sha256_hex(renderer::write_json(text)));
}

Condition condition(std::string_view type, bool is_true, std::string_view reason,
                    std::string message) {
    return {.type = std::string(type),
            .is_true = is_true,
            .reason = std::string(reason),
            .message = std::move(message),
            .observes_generation = false};
}

constexpr std::string_view kNoGroup = "ClusterResourcesNotReady";
constexpr std::array<std::string_view, 3> kConditions = {
    "TailscaleEgressSvcValid", "TailscaleEgressSvcConfigured", "TailscaleEgressSvcReady"};

}  // namespace

std::optional<EgressReplica> decode_egress_replica(const Value& secret) {
    const auto text = secret_datum(secret, renderer::kEgressStatus);
    const auto status = text ? renderer::read_json(*text) : renderer::Result<Value>(Value());
    const Value* services = status ? status->at({"services"}) : nullptr;
    if (services == nullptr || !services->is_map()) {
        return std::nullopt;
    }
    EgressReplica replica;
    for (const renderer::Member& service : services->members()) {
        replica.targets.emplace(
            service.name(),
            EgressReplica::Target{
                .ip = std::string(text_of(service.value.at({"tailnetTarget", "ip"}))),
                .fqdn = std::string(text_of(service.value.at({"tailnetTarget", "fqdn"}))),
                .ports = ports_of(service.value.find("ports"), "targetPort"),
                .has_addresses = !items_of(service.value.find("tailnetTargetIPs")).empty()});
    }
    return replica;
}

std::string_view egress_group(const Parent& service) {
    const bool leads_out =
        !annotation_of_service(service, renderer::annotation::kTailnetFqdn).empty() ||
        !annotation_of_service(service, renderer::annotation::kTailnetIp).empty();
    return leads_out ? annotation_of_service(service, renderer::annotation::kProxyGroup)
                     : std::string_view();
}

StatusChange egress_status(const Parent& service, const std::vector<Device>& devices,
                           const std::vector<const EgressReplica*>& replicas) {
    std::size_t ready = 0;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        ready += devices[i].is_live() && routes(replicas[i], service) ? 1 : 0;
    }
    const bool is_available = std::any_of(devices.begin(), devices.end(),
                                          [](const Device& device) { return device.is_live(); });
    const std::string_view reason = !is_available             ? kNoGroup
                                    : ready == 0              ? "NotReadyToRouteTraffic"
                                    : ready == devices.size() ? "ReadyToRouteTraffic"
                                                              : "PartiallyReadyToRouteTraffic";
    const std::string configured = configuration(service);
    StatusChange change;
    change.conditions.reserve(kConditions.size());
    change.conditions.push_back(
        condition(kConditions[0], true, "EgressSvcValid", "EgressSvcValid"));
    change.conditions.push_back(condition(kConditions[1], true, configured, configured));
    change.conditions.push_back(condition(
        kConditions[2], ready > 0, reason,
        is_available
            ? fmt::format("{} out of {} replicas are ready to route traffic", ready, devices.size())
            : std::string(kNoGroup)));
    return change;
}

StatusChange no_egress_status() {
    StatusChange change;
    change.conditions_to_remove.assign(kConditions.begin(), kConditions.end());
    return change;
}

}  // namespace runtime::controller
