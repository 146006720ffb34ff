#include "runtime/proxy/group_services.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"

namespace runtime::proxy {

using renderer::Member;
using renderer::members_of;
using renderer::Value;

namespace {

constexpr std::array<std::string_view, 2> kMappings = {"IPv4Mapping", "IPv6Mapping"};

renderer::Error services_failure(std::string message) {
    return {{.rule = "invalid-services", .message = std::move(message)}};
}

renderer::Result<Value> read_map(std::string_view text, std::string_view what) {
    if (text.empty()) {
        return Value::map();
    }
    auto json = renderer::read_json(text);
    if (!json || !(json->is_map() || json->is_null())) {
        return services_failure(
            fmt::format("error retrieving {} configs: not a JSON object", what));
    }
    return std::move(*json);
}

const Value* member(const Value& value, std::string_view name) {
    return value.is_map() ? value.find(name) : nullptr;
}

renderer::Result<std::uint16_t> port_of(const Value* value, std::string_view service) {
    const auto number = value == nullptr ? std::nullopt : value->as_int();
    if (!number || *number < 0 || *number > 65535) {
        return services_failure(fmt::format("egress service {}: not a port number", service));
    }
    return static_cast<std::uint16_t>(*number);
}

renderer::Result<EgressService> read_service(std::string_view name, const Value& value) {
    EgressService out;
    out.health_endpoint = renderer::text_of(member(value, "healthCheckEndpoint"));
    const Value* target = member(value, "tailnetTarget");
    if (target != nullptr) {
        out.target_ip = renderer::text_of(member(*target, "ip"));
        out.target_fqdn = renderer::text_of(member(*target, "fqdn"));
    }
    if (out.target_ip.empty() && out.target_fqdn.empty()) {
        return services_failure(
            fmt::format("egress service {}: neither tailnet target IP nor FQDN is set", name));
    }
    if (!out.target_ip.empty() && !IpAddress::parse(out.target_ip)) {
        return services_failure(fmt::format(
            "egress service {}: error parsing tailnet target IP \"{}\"", name, out.target_ip));
    }
    const Value* ports = member(value, "ports");
    if (ports != nullptr && !ports->is_list() && !ports->is_null()) {
        return services_failure(fmt::format("egress service {}: ports is not a list", name));
    }
    for (const Value& port : renderer::items_of(ports)) {
        const std::uint16_t match = TRY(port_of(member(port, "matchPort"), name));
        const std::uint16_t target_port = TRY(port_of(member(port, "targetPort"), name));
        out.ports.push_back(
            {std::string(renderer::text_of(member(port, "protocol"))), match, target_port});
    }
    std::sort(out.ports.begin(), out.ports.end());
    out.ports.erase(std::unique(out.ports.begin(), out.ports.end()), out.ports.end());
    return out;
}

std::vector<IpAddress> addresses_of(const EgressTargets& targets, const std::string& service) {
    const auto found = targets.addresses.find(service);
    return found == targets.addresses.end() ? std::vector<IpAddress>() : found->second;
}

Value ports_value(const EgressService& service) {
    Value ports = Value::list();
    for (const PortMap& port : service.ports) {
        ports.append(Value::map({{"protocol", port.protocol},
                                 {"matchPort", static_cast<int>(port.match)},
                                 {"targetPort", static_cast<int>(port.target)}}));
    }
    return ports;
}

// Returns null if the service has no such mapping.
renderer::Result<Value> read_mapping(std::string_view service, const Value* mapping,
                                     std::vector<nft::IngressService>& pairs) {
    if (mapping == nullptr || mapping->is_null()) {
        return Value();
    }
    const std::string_view from = renderer::text_of(member(*mapping, "TailscaleServiceIP"));
    const std::string_view to = renderer::text_of(member(*mapping, "ClusterIP"));
    const auto vip = IpAddress::parse(from);
    const auto cluster_ip = IpAddress::parse(to);
    const bool is_unset = from.empty() || to.empty();
    if (!is_unset && (!vip || !cluster_ip || vip->is_v6() != cluster_ip->is_v6())) {
        return services_failure(
            fmt::format("ingress service {}: \"{}\" and \"{}\" are not two addresses of "
                        "one family",
                        service, from, to));
    }
    if (!is_unset) {
        pairs.push_back({*vip, *cluster_ip});
    }
    return Value::map({{"TailscaleServiceIP", from}, {"ClusterIP", to}});
}

}  // namespace

renderer::Result<EgressServices> read_egress_services(std::string_view text) {
    const Value json = TRY(read_map(text, "egress service"));
    EgressServices out;
    for (const Member& service : members_of(&json)) {
        out.emplace(service.name(), TRY(read_service(service.name(), service.value)));
    }
    return out;
}

std::string egress_status(const EgressTargets& targets, std::string_view pod_ipv4,
                          std::string_view pod_ipv6) {
    Value services = targets.services.empty() ? Value() : Value::map();
    for (const auto& [name, service] : targets.services) {
        Value addresses = Value::list();
        for (const IpAddress& address : addresses_of(targets, name)) {
            addresses.append(address.text());
        }
        services.add(
            name, Value::map(
                      {{"ports", ports_value(service)},
                       {"tailnetTargetIPs", addresses.size() == 0 ? Value() : std::move(addresses)},
                       {"tailnetTarget",
                        Value::map({{"ip", service.target_ip}, {"fqdn", service.target_fqdn}})}}));
    }
    Value status = Value::map({{"podIPv4", pod_ipv4}});
    put_if(status, !pod_ipv6.empty(), "podIPv6", pod_ipv6);
    status.add("services", std::move(services));
    return renderer::write_json(status);
}

std::vector<nft::EgressPort> egress_ports(const EgressTargets& targets,
                                          std::vector<std::string>& skipped) {
    std::vector<nft::EgressPort> out;
    for (const auto& [name, service] : targets.services) {
        for (const PortMap& port : service.ports) {
            const std::string protocol = renderer::lower_case(port.protocol);
            if (protocol != "tcp" && protocol != "udp") {
                skipped.push_back(
                    fmt::format("egress service {}: port {} is of protocol \"{}\", "
                                "only TCP and UDP are forwarded",
                                name, port.target, port.protocol));
                continue;
            }
            out.push_back({protocol == "tcp" ? nft::Protocol::Tcp : nft::Protocol::Udp, port.match,
                           port.target, addresses_of(targets, name)});
        }
    }
    return out;
}

renderer::Result<IngressServices> read_ingress_services(std::string_view text) {
    const Value json = TRY(read_map(text, "ingress service"));
    IngressServices out;
    std::map<std::string, Value> sorted;
    for (const Member& service : members_of(&json)) {
        Value config = Value::map();
        for (const std::string_view key : kMappings) {
            Value mapping =
                TRY(read_mapping(service.name(), member(service.value, key), out.pairs));
            const bool is_there = mapping.is_map();
            put_if(config, is_there, Value::borrowed(key), std::move(mapping));
        }
        sorted.insert_or_assign(std::string(service.name()), std::move(config));
    }
    Value configs = Value::map();
    for (auto& [name, config] : sorted) {
        configs.add(name, std::move(config));
    }
    out.text = renderer::write_json(configs);
    return out;
}

std::string ingress_status(const IngressServices& services, std::string_view pod_ipv4,
                           std::string_view pod_ipv6) {
    auto configs = renderer::read_json(services.text.empty() ? "{}" : services.text);
    Value status = Value::map({{"configs", configs ? std::move(*configs) : Value::map()}});
    put_if(status, !pod_ipv4.empty(), "podIPv4", pod_ipv4);
    put_if(status, !pod_ipv6.empty(), "podIPv6", pod_ipv6);
    return renderer::write_json(status);
}

}  // namespace runtime::proxy
