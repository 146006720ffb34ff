#include "renderer/generate/group_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/core/json.h"
#include "renderer/core/sha256.h"
#include "renderer/generate/proxy_config.h"

namespace renderer {

namespace {

Value member_ports(const EgressMember& member) {
    std::vector<const GroupPort*> sorted;
    for (const GroupPort& port : member.ports) {
        sorted.push_back(&port);
    }
    std::ranges::stable_sort(
        sorted, {}, [](const GroupPort* port) { return std::pair(port->port, port->protocol); });
    Value ports = Value::list();
    for (const GroupPort* port : sorted) {
        ports.append(Value::map({{"protocol", Value::borrowed(port->protocol)},
                                 {"matchPort", port->match_port},
                                 {"targetPort", port->port}}));
    }
    return ports;
}

}  // namespace

std::string group_config(const ProxyGroupPlan& group, std::size_t ordinal) {
    Value config = Value::map({{"Version", "alpha0"}, {"Locked", false}});
    put_if(config, !group.server_url.empty(), "ServerURL", group.server_url);
    config.add("AuthKey", fmt::format("file:/etc/tsauth/{}/authkey", group.pod(ordinal)));
    config.add("Hostname", group.hostnames[ordinal]);
    config.add("acceptDNS", false);
    config.add("acceptRoutes", group.proxy_class != nullptr && group.proxy_class->accept_routes);
    if (!group.endpoints.empty()) {
        Value addresses = Value::list();
        for (const std::string& address : group.endpoints[ordinal].addresses) {
            addresses.append(address);
        }
        config.add("StaticEndpoints", std::move(addresses));
    }
    return write_json(config);
}

std::string group_config_hash(const ProxyGroupPlan& group) {
    Value fields = Value::map();
    put_if(fields, !group.server_url.empty(), "ServerURL", group.server_url);
    fields.add("acceptDNS", false);
    return sha256_hex(write_json(fields)).substr(0, kHashDigits);
}

std::string egress_services(const ProxyGroupPlan& group, const Plan& plan) {
    std::vector<const EgressMember*> members;
    for (const EgressMember& member : plan.egress_members) {
        if (member.group == group.name) {
            members.push_back(&member);
        }
    }
    std::ranges::stable_sort(members, {}, &EgressMember::key);
    Value services = Value::map();
    for (const EgressMember* member : members) {
        services.add(
            member->key,
            Value::map({{"healthCheckEndpoint", member->health_url},
                        {"tailnetTarget", Value::map({{"ip", member->ip}, {"fqdn", member->fqdn}})},
                        {"ports", member_ports(*member)}}));
    }
    return members.empty() ? std::string() : write_json(services);
}

}  // namespace renderer
