// What the pod forwards, out of its environment and of what is known of tailnet and cluster. Pure;
// runtime/nft makes rules of it.
// Source: tailscale v1.104.5 cmd/containerboot/main.go, forwarding.go.
#pragma once

#include <string>
#include <vector>

#include "runtime/nft/forwarding.h"
#include "runtime/nft/ip_forwarding.h"
#include "runtime/proxy/environment.h"
#include "runtime/proxy/group_services.h"

namespace runtime {

struct ForwardingInput {
    std::vector<IpAddress> own = {};           // tailnet addresses of the device
    std::vector<IpAddress> destinations = {};  // of TS_EXPERIMENTAL_DEST_DNS_NAME
    std::vector<IpAddress> targets = {};       // of TS_TAILNET_TARGET_FQDN
    EgressTargets egress = {};
    IngressServices ingress = {};
    bool has_v6 = true;  // the kernel
};

struct ForwardingPlan {
    nft::Forwarding forwarding;
    EgressTargets egress;  // with the addresses that can be reached
    std::vector<std::string> warnings;
    std::string failure;  // nothing of what was asked for can be forwarded; the process ends
};

ForwardingPlan plan_forwarding(const Environment& environment, const ForwardingInput& input);

// Those that the kernel must forward for it.
nft::Families families_of(const nft::Forwarding& forwarding);

// Which families the kernel must forward for this environment, as far as it tells by itself. An
// error: an address or a route that is none.
renderer::Result<nft::Families> needed_families(const Environment& environment);

}  // namespace runtime
