// Who is at the other end of a connection, as tailscaled tells it, and as whom the API server is
// asked in their place. Pure. Whatever is in doubt is an error: there is no caller then.
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
    std::string user = {};  // a login name; of a tagged device its name
    std::vector<std::string> groups = {};
    std::string node = {};  // the device's name in the tailnet
    std::string node_id = {};
    std::vector<std::string> tags = {};  // of the device
    std::int64_t user_id = 0;
    Grants grants = {};
};

// `whois`: tailscaled's answer about `source`, which must be an address of the device in it.
renderer::Result<Caller> read_caller(std::string_view whois, const IpAddress& source);

// What began as `then` may go on as `now`: the same user with no group less, who is not to be
// recorded where that was not asked for.
bool still_allows(const Caller& now, const Caller& then);

}  // namespace runtime::api_proxy
