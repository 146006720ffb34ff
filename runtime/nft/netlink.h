// The implementation of Dataplane: netlink, without nft(8). An error names the step, the object and
// the remedy. A kernel without nftables and a container without NET_ADMIN are reported as such.
#pragma once

#include <memory>
#include <vector>

#include "runtime/nft/dataplane.h"

namespace runtime::nft {

// Opens a netlink socket. The result may be used by one thread only.
renderer::Result<std::unique_ptr<Dataplane>> open_kernel();

// Returns all tables of the namespace, sorted by family and name. `tailrender-proxy rules` prints
// them with `dump`.
renderer::Result<std::vector<Ruleset>> read_all_tables();

}  // namespace runtime::nft
