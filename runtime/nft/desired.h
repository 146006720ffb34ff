// The rules that do what a Forwarding says: one table `inet tailrender` whose maps are looked up by
// what arrives, so that a packet costs the same with one service and with thousands. Pure.
//
// tailscaled's tables stay as they are and do what is theirs: masquerading what came from the
// tunnel, by its mark, and accepting it. kube-proxy's are in the node's namespace. Ours come right
// before (dstnat - 1, srcnat - 1), and use no marks: tailscaled's depend on the byte order of the
// machine.
#pragma once

#include "runtime/nft/forwarding.h"
#include "runtime/nft/ruleset.h"

namespace runtime::nft {

// Without anything to forward it clamps the MSS of what goes through the tunnel, for subnet
// routers.
Ruleset desired(const Forwarding& forwarding);

}  // namespace runtime::nft
