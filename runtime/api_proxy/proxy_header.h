// The PROXY protocol's header, version 2, as tailscaled writes it in front of a connection: who is
// at its other end. Only TCP over IPv4 and IPv6; what a health checker would send (LOCAL) is
// refused, since it names no one.
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
    std::size_t size = 0;  // 0: it does not end within these bytes
    std::optional<Fault> fault = {};
    // An IPv4-mapped address is the IPv4 address. Never loopback, multicast or the unspecified one:
    // those are no peers of a tailnet.
    std::optional<AddressPort> source = {};
};

ProxyHeader parse_proxy_header(std::string_view bytes);

}  // namespace runtime::api_proxy
