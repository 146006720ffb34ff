// Routes of Tailscale: IP prefixes without host bits, in the spelling and the order of its
// configuration files. Sources: Go's net/netip, tailscale v1.96.5 net/netutil/routes.go,
// tsaddr.SortPrefixes.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace renderer::plan {

struct Route {
    unsigned bits = 0;  // length of the prefix
    bool v6 = false;
    std::array<std::uint8_t, 16> address{};  // IPv4: the first four bytes

    // Shorter prefixes first, then IPv4, then by address.
    friend auto operator<=>(const Route&, const Route&) = default;
};

constexpr std::size_t kV4Bytes = 4;

// Parses "10.0.0.0/8", strictly: no leading zeros, no zone.
std::optional<Route> parse_route(std::string_view text);

std::string route_text(const Route& route);

// Returns the route without the bits behind its prefix.
Route masked(Route route);

// Returns why a route in the range that maps IPv4 sites into IPv6 is invalid; "" if it is valid.
std::string site_error(const Route& route);

// Returns what the site's IPv4 addresses of this route are, if tailscaled does not forward to them
// since v1.102.3: "loopback". Returns "" for other addresses, and other routes. Source: tailscale
// v1.104.5 ipn/ipnlocal/via.go.
std::string_view local_site_addresses(const Route& route);

// Returns the routes sorted and without duplicates.
std::vector<Route> sorted_routes(std::vector<Route> routes);

}  // namespace renderer::plan
