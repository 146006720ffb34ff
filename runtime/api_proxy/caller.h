// The user or device behind a connection, as tailscaled reports it, and the identity that the API
// server sees instead. Pure. Anything doubtful is an error, and then there is no caller.
// Source: tailscale v1.96.5 client/tailscale/apitype, k8s-operator/api-proxy/proxy.go.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"
#include "runtime/api_proxy/grants.h"
#include "runtime/base/ip_address.h"

namespace runtime::api_proxy {

struct Caller {
    std::string user = {};  // login name, or the name of a tagged device
    std::vector<std::string> groups = {};
    std::string node = {};  // the device's name in the tailnet
    std::string node_id = {};
    std::vector<std::string> tags = {};  // of the device
    std::int64_t user_id = 0;
    Grants grants = {};
};

// Parses `whois`, tailscaled's answer about `source`. `source` must be an address of the device in
// it.
renderer::Result<Caller> read_caller(std::string_view whois, const IpAddress& source);

// Returns true if a request that began with `then` may continue with `now`: the user is the same,
// no group is missing, and recording is not newly enforced.
bool still_allows(const Caller& now, const Caller& then);

}  // namespace runtime::api_proxy
