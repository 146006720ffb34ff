// The kernel's dataplane through netlink, without nft(8). An error names the step, the object and the remedy; a kernel
// without nftables, or a container without NET_ADMIN, is named as such.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/nft/dataplane.h"

namespace runtime::nft {

renderer::Result<std::unique_ptr<Dataplane>> open_kernel();

// All tables of the namespace, sorted by family and name: what `tailrender-proxy rules` prints with `dump`.
renderer::Result<std::vector<Ruleset>> read_all_tables();

// The bytes of the transaction, for tests of what is sent. `generation` 0 asks for none.
std::string encode(const Batch& batch, std::uint32_t generation);

}  // namespace runtime::nft
