// What a proxy pod forwards: the whole input of `desired` (desired.h). Each field is one mode of
// containerboot (tailscale v1.96.5 cmd/containerboot/main.go, services.go, ingressservices.go);
// several may be in use at once. Like containerboot, `desired` ignores targets of an address family
// in which the device has no tailnet address. The caller has to report that to the user.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/ip_address.h"

namespace runtime::nft {

enum class Protocol : std::uint8_t { Tcp = 6, Udp = 17 };  // IANA's numbers

// One port of one Service of an egress group: traffic to `match_port` of the pod goes to
// `target_port` of the targets, and new connections are spread over them. Without targets nothing
// is forwarded.
struct EgressPort {
    Protocol protocol = Protocol::Tcp;
    std::uint16_t match_port = 0;
    std::uint16_t target_port = 0;
    std::vector<IpAddress> targets = {};

    friend bool operator==(const EgressPort&, const EgressPort&) = default;
};

// A Tailscale Service of an ingress group: traffic to `vip` goes to `cluster_ip`, which is of the
// same family.
struct IngressService {
    IpAddress vip, cluster_ip;

    friend bool operator==(const IngressService&, const IngressService&) = default;
};

struct Forwarding {
    std::string tunnel = "tailscale0";  // interface of tailscaled, at most 15 bytes
    // Tailnet addresses of this device. Only the first of each family is used.
    std::vector<IpAddress> own = {};
    // The targets of traffic to the device's own addresses: TS_DEST_IP, or all addresses of
    // TS_EXPERIMENTAL_DEST_DNS_NAME.
    std::vector<IpAddress> ingress_targets = {};
    // The targets of traffic that is not from the tunnel: TS_TAILNET_TARGET_IP, or all addresses of
    // TS_TAILNET_TARGET_FQDN.
    std::vector<IpAddress> egress_targets = {};
    // Of several entries with the same protocol and match port, or with the same VIP, the first is
    // used.
    std::vector<EgressPort> egress_ports = {};
    std::vector<IngressService> ingress_services = {};
    // EXPERIMENTAL_ALLOW_PROXYING_CLUSTER_TRAFFIC_VIA_INGRESS: addresses of the pod. Traffic to
    // them goes to the device's own addresses.
    std::vector<IpAddress> via_ingress = {};

    friend bool operator==(const Forwarding&, const Forwarding&) = default;
};

}  // namespace runtime::nft
