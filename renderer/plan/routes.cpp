#include "renderer/plan/routes.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "renderer/base/ascii.h"

namespace renderer::plan {

namespace {

constexpr unsigned kByteBits = 8;
constexpr std::size_t kGroups = 8;  // 16-bit groups of an IPv6 address
constexpr unsigned kV4Bits = 32, kV6Bits = 128;
// fd7a:115c:a1e0:b1a::/64, then four bytes of a site, then an IPv4 address.
constexpr std::array<std::uint8_t, 8> kSites = {0xfd, 0x7a, 0x11, 0x5c, 0xa1, 0xe0, 0x0b, 0x1a};
constexpr unsigned kSiteBits = 96;
constexpr std::uint32_t kMaxSite = 0xffff;

std::optional<unsigned> parse_bits(std::string_view text, unsigned max) {
    if (text.empty() || text.size() > 3 || (text.size() > 1 && text.front() == '0') ||
        !std::ranges::all_of(text, is_digit)) {
        return std::nullopt;
    }
    unsigned bits = 0;
    for (const char c : text) {
        bits = bits * 10 + static_cast<unsigned>(c - '0');
    }
    return bits <= max ? std::optional(bits) : std::nullopt;
}

std::string v4_text(const std::uint8_t* bytes) {
    return fmt::format("{}", fmt::join(bytes, bytes + kV4Bytes, "."));
}

using Groups = std::array<unsigned, kGroups>;

struct Run {
    std::size_t begin = 0, size = 0;
};

// Returns the longest run of zeros, the first of equally long ones; empty if it is a single zero.
Run longest_zeros(const Groups& groups) {
    Run best;
    for (std::size_t i = 0; i < kGroups; ++i) {
        std::size_t end = i;
        while (end < kGroups && groups[end] == 0) {
            ++end;
        }
        if (end - i > std::max<std::size_t>(best.size, 1)) {
            best = {i, end - i};
        }
    }
    return best;
}

std::string v6_text(const std::array<std::uint8_t, 16>& bytes) {
    Groups groups{};
    for (std::size_t i = 0; i < kGroups; ++i) {
        groups[i] = static_cast<unsigned>(bytes[2 * i]) << kByteBits | bytes[2 * i + 1];
    }
    if (std::all_of(groups.begin(), groups.begin() + 5, [](unsigned g) { return g == 0; }) &&
        groups[5] == 0xffff) {
        return fmt::format("::ffff:{}", v4_text(bytes.data() + 12));
    }
    const Run zeros = longest_zeros(groups);
    const auto* const middle = groups.begin() + zeros.begin;
    if (zeros.size == 0) {
        return fmt::format("{:x}", fmt::join(groups, ":"));
    }
    return fmt::format("{:x}::{:x}", fmt::join(groups.begin(), middle, ":"),
                       fmt::join(middle + zeros.size, groups.end(), ":"));
}

bool is_of_site(const Route& route) {
    return route.v6 && std::equal(kSites.begin(), kSites.end(), route.address.begin());
}

}  // namespace

std::optional<Route> parse_route(std::string_view text) {
    const std::size_t slash = text.rfind('/');
    if (slash == std::string_view::npos || text.find('\0') != std::string_view::npos) {
        return std::nullopt;
    }
    const std::string address(text.substr(0, slash));
    Route route;
    if (inet_pton(AF_INET6, address.c_str(), route.address.data()) == 1) {
        route.v6 = true;
    } else if (inet_pton(AF_INET, address.c_str(), route.address.data()) != 1) {
        return std::nullopt;
    }
    const auto bits = parse_bits(text.substr(slash + 1), route.v6 ? kV6Bits : kV4Bits);
    route.bits = bits.value_or(0);
    return bits ? std::optional(route) : std::nullopt;
}

std::string route_text(const Route& route) {
    return fmt::format("{}/{}", route.v6 ? v6_text(route.address) : v4_text(route.address.data()),
                       route.bits);
}

Route masked(Route route) {
    for (std::size_t i = 0; i < route.address.size(); ++i) {
        const auto kept = std::clamp<int>(
            static_cast<int>(route.bits) - static_cast<int>(i * kByteBits), 0, kByteBits);
        route.address[i] &= static_cast<std::uint8_t>(0xff00U >> static_cast<unsigned>(kept));
    }
    return route;
}

std::string site_error(const Route& route) {
    if (!is_of_site(route)) {
        return {};
    }
    if (route.bits < kSiteBits) {
        return fmt::format("a route to a site's IPv4 addresses must be at least a /{}", kSiteBits);
    }
    std::uint32_t site = 0;
    for (std::size_t i = kSites.size(); i < kSites.size() + 4; ++i) {
        site = site << kByteBits | route.address[i];
    }
    return site <= kMaxSite
               ? std::string()
               : fmt::format("the site {:08x} of this route is above {:x}", site, kMaxSite);
}

std::string_view local_site_addresses(const Route& route) {
    struct Local {
        std::string_view network, name;
    };
    constexpr std::array kLocal = {
        Local{"127.0.0.0/8", "loopback"}, Local{"169.254.0.0/16", "link-local"},
        Local{"224.0.0.0/4", "multicast"}, Local{"100.64.0.0/10", "of the tailnet"}};
    if (!is_of_site(route) || route.bits < kSiteBits) {
        return {};
    }
    Route inner;
    std::copy_n(route.address.begin() + kSiteBits / kByteBits, kV4Bytes, inner.address.begin());
    for (const Local& local : kLocal) {
        const Route network = *parse_route(local.network);
        inner.bits = network.bits;
        if (route.bits - kSiteBits >= network.bits && masked(inner) == network) {
            return local.name;
        }
    }
    return {};
}

std::vector<Route> sorted_routes(std::vector<Route> routes) {
    std::ranges::sort(routes);
    routes.erase(std::unique(routes.begin(), routes.end()), routes.end());
    return routes;
}

}  // namespace renderer::plan
