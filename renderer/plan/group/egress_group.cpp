#include "renderer/plan/group/egress_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "renderer/base/printable.h"
#include "renderer/contract/annotations.h"
#include "renderer/contract/ports.h"
#include "renderer/plan/annotations.h"
#include "renderer/plan/checks/object_checks.h"
#include "renderer/plan/device_tags.h"
#include "renderer/plan/group/match_ports.h"
#include "renderer/plan/hostnames.h"
#include "renderer/plan/object_names.h"
#include "renderer/plan/parents.h"
#include "renderer/plan/start_workload.h"
#include "renderer/plan/tailnet_target.h"
#include "renderer/plan/workload/external_name.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kEgressGroupRule =
    "proxy-group-egress: annotation tailscale.com/proxy-group";
constexpr std::string_view kHealthPortName = "tailscale-health-check";
constexpr std::string_view kUnnamedPort = "tailscale-unnamed";
constexpr std::size_t kLongestServiceName = 59;  // "ts-<name>-" must be a DNS label

void check_ports(const classify::ServiceInput& service, Diagnostics& diagnostics) {
    if (service.ports.empty()) {
        classify::about(service, diagnostics)
            .error("egress-without-ports", service.pos(),
                   "a Service of an egress group must list its ports")
            .expected("spec.ports with at least one entry");
    }
    for (const classify::ServicePort& port : service.ports) {
        if (port.protocol == classify::Protocol::Sctp) {
            classify::about(service, diagnostics)
                .error("unsupported-protocol", port.pos, "an egress group cannot forward SCTP")
                .expected("TCP or UDP");
        }
        if (port.name == kHealthPortName) {
            classify::about(service, diagnostics)
                .error("reserved-port-name", port.pos,
                       fmt::format("the port name \"{}\" is reserved", kHealthPortName))
                .expected("another name: the group's health check uses this one");
        }
    }
}

// The operator uses generateName, whose prefix must be a label.
void check_name_length(const classify::ServiceInput& service, Diagnostics& diagnostics) {
    if (service.name.size() <= kLongestServiceName) {
        return;
    }
    classify::about(service, diagnostics)
        .error("name-too-long", service.name_pos(),
               "the name of this Service is too long for an egress group")
        .found(fmt::format("{} bytes", service.name.size()))
        .expected(fmt::format("at most {}", kLongestServiceName))
        .hint("rename the Service, or remove the annotation \"tailscale.com/proxy-group\"");
}

// The operator checks the hostname and the tags, although a Service of a group uses neither.
void check_device(const classify::ServiceInput& service, const Settings& settings,
                  Diagnostics& diagnostics) {
    plan_tags(service, settings, diagnostics);
    service_hostname(service, settings, diagnostics);
    for (const std::string_view key : {annotation::kHostname, annotation::kTags}) {
        if (const Value* found = service.annotation(key)) {
            classify::about(service, diagnostics)
                .warning("annotation-without-effect", found->pos(),
                         fmt::format("annotation \"{}\" has no effect on a Service of an egress "
                                     "group: it has no device of its own",
                                     key))
                .hint("remove it");
        }
    }
}

void check_member(const classify::ServiceInput& service, const ProxyInputs& inputs,
                  Diagnostics& diagnostics) {
    check_namespace(service, inputs.loaded, diagnostics);
    check_ignored(service, diagnostics);
    check_device(service, inputs.settings, diagnostics);
    check_egress_object(service, diagnostics);
    check_headless(service, diagnostics);
    check_external_name_type(service, diagnostics);
    check_tailnet_target(service, "", diagnostics);
    check_ports(service, diagnostics);
    check_name_length(service, diagnostics);
}

std::int64_t health_port(const classify::ServiceInput& service) {
    std::int64_t port = port::kLocal;
    while (std::ranges::find(service.ports, port, &classify::ServicePort::port) !=
           service.ports.end()) {
        ++port;
    }
    return port;
}

EgressMember start_member(const classify::ServiceInput& service, const ProxyGroupInput& group,
                          const ProxyInputs& inputs) {
    EgressMember member;
    member.origin = {service.pos(), service.doc->object_name(), kEgressGroupRule};
    member.bundle = inputs.bundle_of(*service.doc);
    member.group = group.name;
    member.name = group_service_name(service.ns, service.name);
    member.parent_ns = service.ns;
    member.parent_name = service.name;
    member.key = fmt::format("{}-{}", service.ns, service.name);
    member.ip = annotation_text(service, annotation::kTailnetIp);
    member.fqdn = annotation_text(service, annotation::kTailnetFqdn);
    for (const classify::ServicePort& port : service.ports) {
        member.ports.push_back(
            {.name = std::string(port.name.empty() ? kUnnamedPort : port.name),
             .protocol = port.protocol == classify::Protocol::Udp ? "UDP" : "TCP",
             .port = port.port});
    }
    member.health_port = health_port(service);
    member.health_url = fmt::format(
        "http://{}:{}/healthz", cluster_dns_name(inputs.settings.ns, member.name, inputs.settings),
        member.health_port);
    return member;
}

// Refuses two Services with the same key: the ConfigMap identifies Services only by
// "<namespace>-<name>".
void check_config_keys(const EgressPlan& plan, Diagnostics& diagnostics) {
    std::map<std::pair<std::string, std::string>, const EgressMember*> known;
    for (const EgressMember& member : plan.members) {
        const auto [first, is_new] = known.try_emplace({member.group, member.key}, &member);
        if (is_new || first->second->origin.parent == member.origin.parent) {
            continue;
        }
        about(member.origin, diagnostics)
            .error("ambiguous-group-key", member.origin.pos,
                   fmt::format("the group \"{}\" has two Services with the name \"{}\"",
                               member.group, member.key))
            .expected("a unique <namespace>-<name> for each Service of the group")
            .hint("rename one of the two, or use another group for it")
            .note({.pos = first->second->origin.pos,
                   .object = first->second->origin.parent,
                   .text = "also has this name"});
    }
}

struct KeyedPort {
    std::string key;
    GroupPort* port;
    const EgressMember* member;
};

// Returns the ports in order of namespace, name, number and protocol, independent of the order in
// the Service.
std::map<std::string, std::vector<KeyedPort>> ports_by_group(EgressPlan& plan) {
    std::map<std::string, std::vector<KeyedPort>> ports;
    for (EgressMember& member : plan.members) {
        std::vector<GroupPort*> sorted;
        for (GroupPort& port : member.ports) {
            sorted.push_back(&port);
        }
        std::ranges::stable_sort(sorted, {}, [](const GroupPort* port) {
            return std::pair(port->port, port->protocol);
        });
        for (GroupPort* port : sorted) {
            ports[member.group].push_back(
                {port_key(member.group, member.parent_ns, member.parent_name, *port), port,
                 &member});
        }
    }
    return ports;
}

PortPins port_pins_of(const load::Loaded& loaded) {
    PortPins pins;
    for (const load::LockedPort& port : loaded.locked_ports) {
        if (port.kind == load::LockedKind::EgressPort &&
            port.cluster == load::own_cluster(loaded)) {
            pins.emplace(port.key, port.number);
        }
    }
    return pins;
}

// Reports one error for each Service that does not fit.
void refuse_ports(const std::vector<KeyedPort>& ports, Diagnostics& diagnostics) {
    const EgressMember* last = nullptr;
    for (std::size_t i = kMaxGroupPorts; i < ports.size(); ++i) {
        if (ports[i].member == last) {
            continue;
        }
        last = ports[i].member;
        about(last->origin, diagnostics)
            .error("too-many-group-ports", last->origin.pos,
                   fmt::format("the group \"{}\" has no port left for this Service", last->group))
            .found(fmt::format("{} ports of its Services", ports.size()))
            .expected(fmt::format("at most {}", kMaxGroupPorts))
            .hint("use a second group for some of the Services");
    }
}

void give_out_ports(const load::Loaded& loaded, EgressPlan& plan, Diagnostics& diagnostics) {
    const PortPins pins = port_pins_of(loaded);
    for (const auto& [group, ports] : ports_by_group(plan)) {
        std::vector<std::string> keys;
        for (const KeyedPort& port : ports) {
            keys.push_back(port.key);
        }
        const std::vector<std::int64_t> numbers = allocate_ports(keys, pins);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            ports[i].port->match_port = numbers[i];
            plan.locked_ports.push_back({.kind = load::LockedKind::EgressPort,
                                         .cluster = std::string(load::own_cluster(loaded)),
                                         .key = keys[i],
                                         .number = numbers[i],
                                         .pos = {}});
        }
        refuse_ports(ports, diagnostics);
    }
}

void plan_member(const classify::ServiceInput& service, const ProxyGroupInput& group,
                 const ProxyInputs& inputs, EgressPlan& plan, Diagnostics& diagnostics) {
    const std::size_t before = diagnostics.error_count();
    check_member(service, inputs, diagnostics);
    check_group_type(service, group, GroupType::Egress, diagnostics);
    if (is_exposed_by_group(service) && !service.headless &&
        service.type != classify::ServiceType::ExternalName) {
        check_group_type(service, group, GroupType::Ingress, diagnostics);
    }
    if (diagnostics.error_count() > before) {
        return;
    }
    plan.members.push_back(start_member(service, group, inputs));
    for (Edit& edit : name_target(
             service,
             cluster_dns_name(inputs.settings.ns, plan.members.back().name, inputs.settings),
             inputs.loaded, diagnostics)) {
        plan.edits.push_back(std::move(edit));
    }
}

}  // namespace

EgressPlan plan_egress_members(const std::vector<const classify::ServiceInput*>& services,
                               const GroupIndex& groups, const ProxyInputs& inputs,
                               Diagnostics& diagnostics) {
    EgressPlan plan;
    for (const classify::ServiceInput* service : services) {
        const ProxyGroupInput* group = find_group(*service, groups, diagnostics);
        if (group != nullptr) {
            plan_member(*service, *group, inputs, plan, diagnostics);
        }
    }
    std::ranges::stable_sort(plan.members, [](const auto& a, const auto& b) {
        return std::tie(a.group, a.parent_ns, a.parent_name) <
               std::tie(b.group, b.parent_ns, b.parent_name);
    });
    check_config_keys(plan, diagnostics);
    give_out_ports(inputs.loaded, plan, diagnostics);
    return plan;
}

void name_egress_members(const std::vector<EgressMember>& members,
                         std::vector<Workload>& workloads) {
    constexpr std::size_t kMost = 3;
    for (Workload& workload : workloads) {
        const auto* group = workload.as<ProxyGroupPlan>();
        if (group == nullptr || group->input.type != GroupType::Egress) {
            continue;
        }
        std::vector<std::string> names;
        for (const EgressMember& member : members) {
            if (member.group == group->input.name) {
                names.push_back(fmt::format("{}/{}", member.parent_ns, member.parent_name));
            }
        }
        if (!names.empty()) {
            workload.target_text = fmt::format("egress of {}", some_of(names, kMost));
        }
    }
}

}  // namespace renderer::plan
