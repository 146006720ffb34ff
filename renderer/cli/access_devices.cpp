#include "renderer/cli/access_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/split.h"
#include "renderer/base/white_space.h"
#include "renderer/diff/devices.h"

namespace renderer::cli {
namespace {

using access::Endpoint;

constexpr std::string_view kRoute = "route ";
constexpr int kApiPort = 443;

// Returns the port of "https:443/api" and "tcp/80", -1 for what has none.
int port_in(std::string_view text) {
    const auto start = text.find_first_of(":/");
    int port = -1;
    if (start != std::string_view::npos) {
        std::from_chars(text.data() + start + 1, text.data() + text.size(), port);
    }
    return port;
}

access::AddressSet addresses_in(std::string_view text) {
    const auto range = access::parse_range(text);
    return range ? access::AddressSet({*range}) : access::AddressSet();
}

Endpoint endpoint_of(const diff::Reach& offer) {
    Endpoint endpoint{.label = offer.endpoint, .target = offer.target};
    const std::string_view text = offer.endpoint;
    if (text.starts_with(kRoute)) {
        endpoint.kind = Endpoint::Kind::Route;
        endpoint.label = text.substr(kRoute.size());
        endpoint.addresses = addresses_in(endpoint.label);
    } else if (text == "exit node") {
        endpoint.kind = Endpoint::Kind::ExitNode;
    } else if (text == "app connector") {
        endpoint.kind = Endpoint::Kind::AppConnector;
    } else if (const int port = port_in(text); port > 0) {
        const std::string_view protocol = text.substr(0, text.find_first_of(":/"));
        endpoint.protocol = access::parse_protocol(protocol).value_or(access::kTcp);  // or HTTP
        endpoint.port = port;
        endpoint.label = endpoint.protocol == access::kTcp ? fmt::format("{}", port)
                                                           : fmt::format("{}/{}", port, protocol);
    } else {
        endpoint.kind = Endpoint::Kind::AllPorts;
    }
    const bool is_relay = offer.target == diff::kRelayed;
    endpoint.is_public = offer.is_public && is_relay;
    endpoint.is_funnel = offer.is_public && !is_relay;
    return endpoint;
}

// Several paths of one port are one endpoint.
void add_endpoint(Endpoint endpoint, std::vector<Endpoint>& endpoints) {
    const auto same = std::ranges::find(endpoints, endpoint.label, &Endpoint::label);
    if (same == endpoints.end()) {
        endpoints.push_back(std::move(endpoint));
        return;
    }
    same->is_funnel = same->is_funnel || endpoint.is_funnel;
    const auto targets = split(same->target, ',');
    if (std::ranges::none_of(
            targets, [&](std::string_view target) { return trim(target) == endpoint.target; })) {
        same->target += ", " + endpoint.target;
    }
}

// Marks the devices that serve the Kubernetes API with identities of the policy: only the plan
// knows them.
void add_api(const plan::Workload& workload, std::vector<access::Device>& devices) {
    const auto* proxy = workload.as<plan::ApiProxyPlan>();
    const auto* group = workload.as<plan::ProxyGroupPlan>();
    if (proxy == nullptr && (group == nullptr || !group->serves_api())) {
        return;
    }
    for (access::Device& device : devices) {
        if (device.parent != workload.origin.parent) {
            continue;
        }
        if (proxy != nullptr && device.endpoints.empty()) {
            device.endpoints.push_back({.label = fmt::format("{}", kApiPort),
                                        .port = kApiPort,
                                        .target = "Kubernetes API"});
        }
        const bool impersonates = proxy != nullptr ? proxy->impersonates : group->input.api_auth;
        if (impersonates && !device.endpoints.empty()) {
            device.api_tags = workload.tags;
        }
    }
}

bool is_of(const policy::Need& need, const access::Device& device, const Endpoint& endpoint) {
    if (need.kind == policy::NeedKind::Service) {
        return device.name == need.name;
    }
    const bool is_kind =
        need.kind == policy::NeedKind::Route
            ? endpoint.kind == Endpoint::Kind::Route && endpoint.label == need.name
            : need.kind == policy::NeedKind::ExitNode && endpoint.kind == Endpoint::Kind::ExitNode;
    return is_kind && std::ranges::find(need.reasons, device.parent, &policy::Reason::object) !=
                          need.reasons.end();
}

// Marks routes, exit nodes and Tailscale Services that someone has to approve by hand.
void mark_unapproved(const Run& run, const policy::Sections& sections, const std::string& tailnet,
                     std::vector<access::Device>& devices) {
    policy::Needs needs;
    policy::add_needs(run.plan, run.loaded.sources, tailnet, needs);
    for (const policy::Need* need : policy::missing_needs(sections, needs)) {
        if (need->kind == policy::NeedKind::TagOwner || need->kind == policy::NeedKind::Funnel) {
            continue;
        }
        for (access::Device& device : devices) {
            for (Endpoint& endpoint : device.endpoints) {
                endpoint.is_approved = endpoint.is_approved && !is_of(*need, device, endpoint);
            }
        }
    }
}

std::vector<access::Device> devices_of(const std::vector<diff::Device>& all,
                                       const std::string& tailnet) {
    std::vector<access::Device> devices;
    for (const diff::Device& device : all) {
        if (device.tailnet == tailnet) {
            devices.push_back(
                {.name = device.hostname, .parent = device.parent, .tags = device.tags});
            for (const diff::Reach& offer : device.offers) {
                add_endpoint(endpoint_of(offer), devices.back().endpoints);
            }
        }
    }
    std::ranges::stable_sort(devices, {}, &access::Device::name);
    return devices;
}

access::Egress egress_of(const plan::EgressMember& member, const plan::Workload& group) {
    access::Egress egress{.parent = member.origin.parent,
                          .pos = member.origin.pos,
                          .tags = group.tags,
                          .target = member.ip.empty() ? member.fqdn : member.ip,
                          .addresses = addresses_in(member.ip)};
    for (const plan::GroupPort& port : member.ports) {
        const int number = static_cast<int>(port.port);
        egress.ports.push_back(
            {access::parse_protocol(port.protocol).value_or(access::kTcp), number, number});
    }
    return egress;
}

std::vector<access::Egress> all_egress(const plan::Plan& plan, const std::string& tailnet) {
    std::vector<access::Egress> all;
    for (const plan::Workload& one : plan.workloads) {
        const auto* proxy = one.as<plan::ProxyPlan>();
        const bool is_egress = proxy != nullptr && (proxy->target == plan::Target::TailnetIp ||
                                                    proxy->target == plan::Target::TailnetName);
        if (is_egress && one.tailnet == tailnet) {
            all.push_back({.parent = one.origin.parent,
                           .pos = one.origin.pos,
                           .tags = one.tags,
                           .target = proxy->target_value,
                           .addresses = addresses_in(proxy->target_value)});
        }
    }
    for (const plan::EgressMember& member : plan.egress_members) {
        for (const plan::Workload& group : plan.workloads) {
            if (group.as<plan::ProxyGroupPlan>() != nullptr && group.name == member.group &&
                group.tailnet == tailnet) {
                all.push_back(egress_of(member, group));
            }
        }
    }
    return all;
}

}  // namespace

access::Cluster read_cluster(const Run& run, diff::ClusterTree tree,
                             const policy::Sections& sections, const std::string& tailnet) {
    const diff::Manifests manifests(std::move(tree.files), std::move(tree.facts));
    access::Cluster cluster{.name = run.loaded.cluster,
                            .devices = devices_of(diff::read_devices(manifests), tailnet),
                            .egress = all_egress(run.plan, tailnet)};
    for (const plan::Workload& workload : run.plan.workloads) {
        add_api(workload, cluster.devices);
    }
    mark_unapproved(run, sections, tailnet, cluster.devices);
    return cluster;
}

}  // namespace renderer::cli
