#include "runtime/nft/flows.h"

#include <algorithm>

namespace runtime::nft {

namespace {

bool is_in(const std::vector<IpAddress>& addresses, const IpAddress& address) {
    return std::find(addresses.begin(), addresses.end(), address) != addresses.end();
}

}  // namespace

StaleFlows::StaleFlows(const Forwarding& forwarding, std::vector<IpAddress> local)
    : own_(forwarding.own), local_(std::move(local)) {
    const auto has_own = [&](bool v6) {
        return std::any_of(own_.begin(), own_.end(),
                           [&](const IpAddress& own) { return own.is_v6() == v6; });
    };
    const auto targets_of = [&](const std::vector<IpAddress>& addresses, std::uint16_t port) {
        std::vector<Target> targets;
        for (const IpAddress& address : addresses) {
            if (has_own(address.is_v6())) {
                targets.emplace_back(address, port);
            }
        }
        return targets;
    };
    for (const IngressService& service : forwarding.ingress_services) {
        by_address_.try_emplace(service.vip, std::vector{Target(service.cluster_ip, 0)});
    }
    for (const IpAddress& pod : forwarding.via_ingress) {
        by_address_.try_emplace(pod, targets_of(forwarding.own, 0));
    }
    if (!forwarding.ingress_targets.empty()) {
        for (const IpAddress& own : own_) {
            by_address_.try_emplace(own, targets_of(forwarding.ingress_targets, 0));
        }
    }
    for (const EgressPort& port : forwarding.egress_ports) {
        by_port_.try_emplace({static_cast<std::uint8_t>(port.protocol), port.match_port},
                             targets_of(port.targets, port.target_port));
    }
    otherwise_ = targets_of(forwarding.egress_targets, 0);
}

bool StaleFlows::contains(const Flow& flow) const {
    // Connections that the pod itself opens do not pass our rules, and connections that were sent
    // to loopback were redirected by rules of others.
    if (flow.established || is_in(local_, flow.from) || flow.sent_to.is_loopback()) {
        return false;
    }
    const bool is_from_cluster = is_in(local_, flow.to) && !is_in(own_, flow.to);
    const auto address = by_address_.find(flow.to);
    const auto port = by_port_.find({flow.protocol, flow.to_port});
    const std::vector<Target>* const candidates[] = {
        address == by_address_.end() ? nullptr : &address->second,
        is_from_cluster && port != by_port_.end() ? &port->second : nullptr,
        is_from_cluster ? &otherwise_ : nullptr};
    bool has_target = false;
    for (const auto* targets : candidates) {
        for (const Target& target : targets == nullptr ? std::vector<Target>() : *targets) {
            if (target.first == flow.sent_to &&
                (target.second == 0 || target.second == flow.sent_to_port)) {
                return false;
            }
            has_target |= target.first.is_v6() == flow.to.is_v6();
        }
    }
    // It is stale if it was redirected, but not to a current target, or if it was not redirected
    // although there is a target.
    return flow.sent_to != flow.to || has_target;
}

}  // namespace runtime::nft
