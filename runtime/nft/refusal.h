// What the kernel's errno means for the people who run the pod. Pure.
#pragma once

#include <string_view>

#include "renderer/core/result.h"

namespace runtime::nft {

// `step` as in "cannot add map egress4: …"; `code` is an errno.
renderer::Error refusal(std::string_view step, int code);
// The first thing that was asked of nftables failed: most often because there is none.
renderer::Error no_nftables(int code);

}  // namespace runtime::nft
