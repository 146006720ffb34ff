// The addresses under which clients reach the replicas of a ProxyGroup without a relay, as the
// rendered configuration gives them to tailscaled. Shapes: testdata/contract/ingress.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"

namespace runtime::controller {

// Of one replica.
struct StaticEndpoints {
    std::vector<std::string> addresses;  // ip:port

    bool operator==(const StaticEndpoints&) const = default;
};

// Decodes a rendered Secret "<pod>-config". No value if it has none.
std::optional<StaticEndpoints> decode_static_endpoints(const renderer::Value& secret);

// From a configuration of tailscaled or of an API proxy; empty if it has none.
std::vector<std::string> static_endpoints(std::string_view config);

}  // namespace runtime::controller
