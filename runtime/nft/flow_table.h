// The kernel's tracked connections.
#pragma once

#include <cstddef>

#include "renderer/core/result.h"
#include "runtime/nft/forwarding.h"

namespace runtime::nft {

// Ends the tracking of those that flows.h finds stale; how many.
renderer::Result<std::size_t> remove_flows(const Forwarding& forwarding);

}  // namespace runtime::nft
