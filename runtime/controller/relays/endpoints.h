// Where peers reach the replicas of a PeerRelay: the addresses of a replica's load balancer, and
// static endpoints. Pure functions. The contract is testdata/contract/peer-relay.md; source:
// tailscale v1.104.5 k8s-operator/reconciler/peerrelay/{peerrelay,service}.go.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"

namespace runtime::controller {

struct Endpoint {
    std::string address;  // as `ip_text` spells it
    int port = 0;

    auto operator<=>(const Endpoint&) const = default;
};

// The one spelling of an address of either family; "": it is none. No zone.
std::string ip_text(std::string_view address);

// "192.0.2.1:41641", "[2001:db8::1]:41641": as Go's netip.ParseAddrPort and netip.AddrPort. No
// value: `problem` says why, in its words where the CRD lets the text pass.
std::optional<Endpoint> parse_endpoint(std::string_view text, std::string& problem);
std::string endpoint_text(const Endpoint& endpoint);

// The first problem of a PeerRelay's `staticEndpoints`: "spec.staticEndpoints[1]: …"; "": none.
std::string static_endpoints_problem(const renderer::Value& list);

// What a Service of type LoadBalancer says of its load balancer.
struct LoadBalancer {
    std::vector<std::string> addresses, hostnames;

    bool operator==(const LoadBalancer&) const = default;
};
// No value: it has none (yet).
std::optional<LoadBalancer> decode_load_balancer(const renderer::Value& service);

// What is known of hostnames: their addresses, empty when the last lookup has failed. One that is
// not there waits for its first answer.
using KnownHosts = std::map<std::string, std::vector<std::string>, std::less<>>;

// Sorted, each once. nullptr: there is no load balancer. `former`: what it was last known by, which
// counts while its hostnames say nothing.
std::vector<std::string> balancer_addresses(const LoadBalancer* balancer, const KnownHosts& hosts,
                                            const std::vector<std::string>& former);

// Sorted by the text of the address; for one that is in both the port is that of `fixed`.
std::vector<Endpoint> merged_endpoints(const std::vector<std::string>& addresses, int port,
                                       const std::vector<Endpoint>& fixed);

}  // namespace runtime::controller
