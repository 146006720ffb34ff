// Random Forwardings, for properties that hold for all of them.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/backoff.h"
#include "runtime/nft/forwarding.h"

namespace runtime::nft {

// Addresses are from a small range, so that collisions happen.
inline IpAddress random_address(RandomSource& random) {
    const auto text = random.below(2) == 0
                          ? fmt::format("100.64.{}.{}", random.below(3), random.below(10))
                          : fmt::format("fd7a:115c::{}:{}", random.below(3), random.below(10));
    return *IpAddress::parse(text);
}

inline std::vector<IpAddress> random_addresses(RandomSource& random, std::uint64_t most) {
    std::vector<IpAddress> addresses;
    for (auto count = random.below(most + 1); count > 0; --count) {
        addresses.push_back(random_address(random));
    }
    return addresses;
}

inline EgressPort random_port(RandomSource& random) {
    return {.protocol = random.below(2) == 0 ? Protocol::Tcp : Protocol::Udp,
            .match_port = static_cast<std::uint16_t>(10000 + random.below(40)),
            .target_port = static_cast<std::uint16_t>(1 + random.below(65535)),
            .targets = random_addresses(random, 4)};
}

inline IngressService random_service(RandomSource& random) {
    const IpAddress vip = random_address(random);
    IpAddress cluster_ip = random_address(random);
    while (cluster_ip.is_v6() != vip.is_v6()) {
        cluster_ip = random_address(random);
    }
    return {.vip = vip, .cluster_ip = cluster_ip};
}

inline std::vector<IpAddress> random_own(RandomSource& random) {
    std::vector<IpAddress> own;
    if (random.below(5) > 0) {
        own.push_back(*IpAddress::parse(fmt::format("100.100.0.{}", 1 + random.below(2))));
    }
    if (random.below(5) > 0) {
        own.push_back(*IpAddress::parse(fmt::format("fd7a:115c:a1e0::{}", 1 + random.below(2))));
    }
    return own;
}

// Makes one random change. It may leave the value as it was.
inline void change(Forwarding& forwarding, RandomSource& random) {
    const auto change_one = [&](auto& list, auto make) {
        const auto place = random.below(list.size() + 1);
        if (place == list.size() || list.empty()) {
            list.push_back(make(random));
        } else if (random.below(2) == 0) {
            list.erase(list.begin() + static_cast<std::ptrdiff_t>(place));
        } else {
            list[place] = make(random);
        }
    };
    switch (random.below(12)) {
        case 0:
            forwarding.own = random_own(random);
            break;
        case 1:
            forwarding.ingress_targets = random_addresses(random, 4);
            break;
        case 2:
            forwarding.egress_targets = random_addresses(random, 4);
            break;
        case 3:
            forwarding.via_ingress = random_addresses(random, 2);
            break;
        case 4:
            forwarding.tunnel = random.below(2) == 0 ? "tailscale0" : "tun-of-15-bytes";
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

inline Forwarding random_forwarding(RandomSource& random, int changes) {
    Forwarding forwarding;
    for (int i = 0; i < changes; ++i) {
        change(forwarding, random);
    }
    return forwarding;
}

}  // namespace runtime::nft
