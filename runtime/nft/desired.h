// Computes the rules for a Forwarding: one table `inet tailrender`, whose maps are looked up by the
// packet's destination, so that a packet costs the same with one service and with thousands. Pure.
//
// tailscaled's tables stay unchanged. They accept packets from the tunnel and masquerade them, by a
// mark. kube-proxy's tables are in the node's namespace. Our chains run right before theirs (dstnat
// - 1, srcnat - 1) and use no marks, since tailscaled's marks depend on the byte order of the
// machine.
#pragma once

#include "runtime/nft/forwarding.h"
#include "runtime/nft/ruleset.h"

namespace runtime::nft {

// Returns the rules. If there is nothing to forward, they only clamp the MSS of traffic through the
// tunnel, for subnet routers.
Ruleset desired(const Forwarding& forwarding);

}  // namespace runtime::nft
