// Random wanted states, for properties that hold for all of them.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/backoff.h"
#include "runtime/nft/forwarding.h"

namespace runtime::nft {

// From a small range: that two meet is wanted.
inline IpAddress random_address(Chance& chance) {
    const auto text = chance.below(2) == 0
                          ? fmt::format("100.64.{}.{}", chance.below(3), chance.below(10))
                          : fmt::format("fd7a:115c::{}:{}", chance.below(3), chance.below(10));
    return *IpAddress::parse(text);
}

inline std::vector<IpAddress> random_addresses(Chance& chance, std::uint64_t most) {
    std::vector<IpAddress> addresses;
    for (auto count = chance.below(most + 1); count > 0; --count) {
        addresses.push_back(random_address(chance));
    }
    return addresses;
}

inline EgressPort random_port(Chance& chance) {
    return {.protocol = chance.below(2) == 0 ? Protocol::Tcp : Protocol::Udp,
            .match_port = static_cast<std::uint16_t>(10000 + chance.below(40)),
            .target_port = static_cast<std::uint16_t>(1 + chance.below(65535)),
            .targets = random_addresses(chance, 4)};
}

inline IngressService random_service(Chance& chance) {
    const IpAddress vip = random_address(chance);
    IpAddress cluster_ip = random_address(chance);
    while (cluster_ip.is_v6() != vip.is_v6()) {
        cluster_ip = random_address(chance);
    }
    return {.vip = vip, .cluster_ip = cluster_ip};
}

inline std::vector<IpAddress> random_own(Chance& chance) {
    std::vector<IpAddress> own;
    if (chance.below(5) > 0) {
        own.push_back(*IpAddress::parse(fmt::format("100.100.0.{}", 1 + chance.below(2))));
    }
    if (chance.below(5) > 0) {
        own.push_back(*IpAddress::parse(fmt::format("fd7a:115c:a1e0::{}", 1 + chance.below(2))));
    }
    return own;
}

// One thing is different afterwards, or, by chance, nothing.
inline void change(Forwarding& forwarding, Chance& chance) {
    const auto change_one = [&](auto& list, auto make) {
        const auto place = chance.below(list.size() + 1);
        if (place == list.size() || list.empty()) {
            list.push_back(make(chance));
        } else if (chance.below(2) == 0) {
            list.erase(list.begin() + static_cast<std::ptrdiff_t>(place));
        } else {
            list[place] = make(chance);
        }
    };
    switch (chance.below(12)) {
        case 0:
            forwarding.own = random_own(chance);
            break;
        case 1:
            forwarding.ingress_targets = random_addresses(chance, 4);
            break;
        case 2:
            forwarding.egress_targets = random_addresses(chance, 4);
            break;
        case 3:
            forwarding.via_ingress = random_addresses(chance, 2);
            break;
        case 4:
            forwarding.tunnel = chance.below(2) == 0 ? "tailscale0" : "tun-of-15-bytes";
            break;
        case 5:
        case 6:
        case 7:
            change_one(forwarding.ingress_services, random_service);
            break;
        default:
            change_one(forwarding.egress_ports, random_port);
            break;
    }
}

inline Forwarding random_forwarding(Chance& chance, int changes) {
    Forwarding forwarding;
    for (int i = 0; i < changes; ++i) {
        change(forwarding, chance);
    }
    return forwarding;
}

}  // namespace runtime::nft
