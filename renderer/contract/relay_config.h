// The ConfigMap of each relay, of which the controller makes the config Secrets:
// testdata/contract/peer-relay.md.
#pragma once

#include <string_view>

#include "renderer/contract/domain.h"

namespace renderer::inline contract {

inline constexpr std::string_view kRelayPrefix = "tailrender-relay-";
inline constexpr std::string_view kStaticEndpointsDatum = "static-endpoints";

// The prefix of the names of StatefulSets and pods.
inline constexpr std::string_view kRelaySetPrefix = "peerrelay-";

// On a config Secret of a relay: the addresses of its load balancer, joined with `,`.
inline constexpr std::string_view kBalancerAddressesAnnotation =
    TAILRENDER_DOMAIN "/balancer-addresses";

}  // namespace renderer::inline contract
