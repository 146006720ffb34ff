// Parses the header of the PROXY protocol, version 2, which tailscaled writes at the start of a
// connection. It names the peer. Only TCP over IPv4 and IPv6 is accepted. The header of a health
// checker (LOCAL) is refused, since it names no peer.
// Source: haproxy doc/proxy-protocol.txt section 2.2.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/api_proxy/fault.h"
#include "runtime/base/ip_prefix.h"

namespace runtime::api_proxy {

inline constexpr std::size_t kLongestProxyHeader = 16 + 512;

struct ProxyHeader {
    std::size_t size = 0;  // 0: it is incomplete
    std::optional<Fault> fault = {};
    // An IPv4-mapped address is converted to IPv4. Loopback, multicast and unspecified addresses
    // are refused, since no peer of a tailnet has one.
    std::optional<AddressPort> source = {};
};

ProxyHeader parse_proxy_header(std::string_view bytes);

}  // namespace runtime::api_proxy
