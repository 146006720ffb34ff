// Decides what the pod forwards, from its environment and the state of the tailnet and the cluster.
// Pure; runtime/nft turns the result into rules.
// Source: tailscale v1.104.5 cmd/containerboot/main.go, forwarding.go.
#pragma once

#include <string>
#include <vector>

#include "runtime/nft/forwarding.h"
#include "runtime/nft/ip_forwarding.h"
#include "runtime/proxy/environment.h"
#include "runtime/proxy/group_services.h"

namespace runtime::proxy {

struct ForwardingInput {
    std::vector<IpAddress> own = {};           // tailnet addresses of the device
    std::vector<IpAddress> destinations = {};  // of TS_EXPERIMENTAL_DEST_DNS_NAME
    std::vector<IpAddress> targets = {};       // of TS_TAILNET_TARGET_FQDN
    EgressTargets egress = {};
    IngressServices ingress = {};
    bool has_v6 = true;  // the kernel supports IPv6
};

struct ForwardingPlan {
    nft::Forwarding forwarding;
    EgressTargets egress;  // with the reachable addresses only
    std::vector<std::string> warnings;
    std::string failure;  // no target can be forwarded to; the process ends
};

ForwardingPlan plan_forwarding(const Environment& environment, const ForwardingInput& input);

// Returns the IP families that the kernel must forward for these rules.
nft::Families families_of(const nft::Forwarding& forwarding);

// Returns the IP families that the kernel must forward, as far as the environment alone shows.
// Fails on an invalid address or route.
renderer::Result<nft::Families> needed_families(const Environment& environment);

}  // namespace runtime::proxy
