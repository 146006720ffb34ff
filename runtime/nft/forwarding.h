// What a proxy pod forwards, as a value: all that `desired` (desired.h) needs to know. Each field
// is one mode of containerboot (tailscale v1.96.5 cmd/containerboot/main.go, services.go,
// ingressservices.go); several may be in use at once. A target whose address family the device has
// no tailnet address for is left out, as containerboot does; the caller says so to the user, who
// cannot see it here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/ip_address.h"

namespace runtime::nft {

enum class Protocol : std::uint8_t { Tcp = 6, Udp = 17 };  // IANA's numbers

// One port of one service of an egress group: what arrives at `match_port` of the pod goes to
// `target_port` of the targets, new connections spread over them. Without targets nothing is
// forwarded.
struct EgressPort {
    Protocol protocol = Protocol::Tcp;
    std::uint16_t match_port = 0;
    std::uint16_t target_port = 0;
    std::vector<IpAddress> targets = {};

    friend bool operator==(const EgressPort&, const EgressPort&) = default;
};

// A Tailscale Service of an ingress group: what arrives for `vip` goes to `cluster_ip`, which is of
// the same family.
struct IngressService {
    IpAddress vip, cluster_ip;

    friend bool operator==(const IngressService&, const IngressService&) = default;
};

struct Forwarding {
    std::string tunnel = "tailscale0";  // interface of tailscaled, at most 15 bytes
    // Tailnet addresses of this device: at most one of each family; the first counts.
    std::vector<IpAddress> own = {};
    // TS_DEST_IP, or all addresses of TS_EXPERIMENTAL_DEST_DNS_NAME: where traffic for our own
    // addresses goes.
    std::vector<IpAddress> ingress_targets = {};
    // TS_TAILNET_TARGET_IP, or all addresses of TS_TAILNET_TARGET_FQDN: where traffic goes that is
    // not from the tunnel.
    std::vector<IpAddress> egress_targets = {};
    // Of two for one protocol and match port, and of two for one VIP, the first counts.
    std::vector<EgressPort> egress_ports = {};
    std::vector<IngressService> ingress_services = {};
    // EXPERIMENTAL_ALLOW_PROXYING_CLUSTER_TRAFFIC_VIA_INGRESS: addresses of the pod whose traffic
    // goes to our own.
    std::vector<IpAddress> via_ingress = {};

    friend bool operator==(const Forwarding&, const Forwarding&) = default;
};

}  // namespace runtime::nft
