// The kernel's tracked connections.
#pragma once

#include <cstddef>

#include "renderer/core/result.h"
#include "runtime/nft/forwarding.h"

namespace runtime::nft {

// Stops tracking the connections that flows.h finds stale. Returns how many.
renderer::Result<std::size_t> remove_flows(const Forwarding& forwarding);

}  // namespace runtime::nft
