// The Services that the pods of a group serve, read from mounted files, and what a pod reports
// about them in its state Secret. Pure.
// Source: tailscale v1.104.5 kube/egressservices, kube/ingressservices.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"
#include "runtime/base/ip_address.h"
#include "runtime/nft/forwarding.h"

namespace runtime::proxy {

struct PortMap {
    std::string protocol;  // as written
    std::uint16_t match = 0, target = 0;

    friend auto operator<=>(const PortMap&, const PortMap&) = default;
};

// One Service of an egress group: cluster traffic to a target in the tailnet.
struct EgressService {
    std::string health_endpoint = {};  // URL; empty: none
    std::string target_ip = {}, target_fqdn = {};
    std::vector<PortMap> ports = {};  // sorted

    friend bool operator==(const EgressService&, const EgressService&) = default;
};
using EgressServices = std::map<std::string, EgressService>;  // by namespace-name

// An empty text has no services.
renderer::Result<EgressServices> read_egress_services(std::string_view text);

// The services that are forwarded, with the addresses of their targets. A target may have no
// address yet.
struct EgressTargets {
    EgressServices services;
    std::map<std::string, std::vector<IpAddress>> addresses;  // by service

    friend bool operator==(const EgressTargets&, const EgressTargets&) = default;
};
std::string egress_status(const EgressTargets& targets, std::string_view pod_ipv4,
                          std::string_view pod_ipv6);
// Returns the ports to forward. Ports that are neither TCP nor UDP are left out; `skipped` gets a
// message for each.
std::vector<nft::EgressPort> egress_ports(const EgressTargets& targets,
                                          std::vector<std::string>& skipped);

// The Services of an ingress group: the address of each Tailscale Service, paired with that of a
// Service in the cluster.
struct IngressServices {
    std::string text = {};  // JSON, repeated in the report
    std::vector<nft::IngressService> pairs = {};

    friend bool operator==(const IngressServices&, const IngressServices&) = default;
};
renderer::Result<IngressServices> read_ingress_services(std::string_view text);
std::string ingress_status(const IngressServices& services, std::string_view pod_ipv4,
                           std::string_view pod_ipv6);

}  // namespace runtime::proxy
