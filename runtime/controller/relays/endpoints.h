// Where peers reach the replicas of a relay: the addresses of a replica's load balancer, and
// static endpoints. Pure functions. The contract and its source are in
// testdata/contract/peer-relay.md.
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
    std::string address;  // as `ip_text` returns it
    int port = 0;

    auto operator<=>(const Endpoint&) const = default;
};

// The canonical form of an address of either family, without a zone; "" if it is not an address.
std::string ip_text(std::string_view address);

// Parses "192.0.2.1:41641" or "[2001:db8::1]:41641", as Go's netip.ParseAddrPort and netip.AddrPort
// do. No value if it is invalid: `problem` has Go's message where the CRD accepts the text.
std::optional<Endpoint> parse_endpoint(std::string_view text, std::string& problem);
std::string endpoint_text(const Endpoint& endpoint);

// The first problem of a relay's `staticEndpoints`: "spec.staticEndpoints[1]: …"; "" if none.
std::string static_endpoints_problem(const renderer::Value& list);

// The load balancer of a Service of type LoadBalancer.
struct LoadBalancer {
    std::vector<std::string> addresses, hostnames;

    bool operator==(const LoadBalancer&) const = default;
};
// No value if it has none (yet).
std::optional<LoadBalancer> decode_load_balancer(const renderer::Value& service);

// The addresses of hostnames, empty if the last lookup has failed. A hostname that is missing waits
// for its first answer.
using KnownHosts = std::map<std::string, std::vector<std::string>, std::less<>>;

// Sorted, without duplicates. nullptr: there is no load balancer. `former` are its last known
// addresses, which are used while its hostnames have none.
std::vector<std::string> balancer_addresses(const LoadBalancer* balancer, const KnownHosts& hosts,
                                            const std::vector<std::string>& former);

// Sorted by the text of the address; an address that is in both has the port of `fixed`.
std::vector<Endpoint> merged_endpoints(const std::vector<std::string>& addresses, int port,
                                       const std::vector<Endpoint>& fixed);

}  // namespace runtime::controller
