// The two domains of keys: the operator's, and our own (which is also our API group).
#pragma once

#include <string_view>

namespace renderer::inline contract {

#define TAILRENDER_DOMAIN "tailrender.dev"

inline constexpr std::string_view kOwnVersion = TAILRENDER_DOMAIN "/v1alpha1";  // of our API

// The operator's API group is its domain, without the slash.
inline constexpr std::string_view kOperatorDomain = "tailscale.com/";

}  // namespace renderer::inline contract
