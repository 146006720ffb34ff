// The kernel's dataplane through netlink, without nft(8). An error names the step, the object and
// the remedy; a kernel without nftables, or a container without NET_ADMIN, is named as such.
#pragma once

#include <memory>
#include <vector>

#include "runtime/nft/dataplane.h"

namespace runtime::nft {

// For one thread; keeps a netlink socket.
renderer::Result<std::unique_ptr<Dataplane>> open_kernel();

// All tables of the namespace, sorted by family and name: what `tailrender-proxy rules` prints with
// `dump`.
renderer::Result<std::vector<Ruleset>> read_all_tables();

}  // namespace runtime::nft
