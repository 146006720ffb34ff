// Explains an errno of the kernel to the people who run the pod. Pure.
#pragma once

#include <string_view>

#include "renderer/core/result.h"

namespace runtime::nft {

// `step` completes "cannot", as in "cannot add map egress4: …". `code` is an errno.
renderer::Error refusal(std::string_view step, int code);
// The error for a failure of the first nftables request. Most often the kernel has no nftables.
renderer::Error no_nftables(int code);

}  // namespace runtime::nft
