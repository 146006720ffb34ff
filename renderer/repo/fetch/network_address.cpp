#include "renderer/repo/fetch/network_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "renderer/base/ascii.h"

namespace renderer::repo {

namespace {

struct Network {
    std::uint32_t address;
    unsigned bits;
};

constexpr std::array kNotPublic = std::to_array<Network>({
    {0x00000000, 8},   // this network
    {0x0a000000, 8},   // private
    {0x64400000, 10},  // carrier-grade NAT, and tailnets
    {0x7f000000, 8},   // loopback
    {0xa9fe0000, 16},  // link-local, and metadata services of clouds
    {0xac100000, 12},  // private
    {0xa83f8110, 32},  // 168.63.129.16, a service of Azure
    {0xc0000000, 24},  // protocol assignments
    {0xc0000200, 24},  // documentation, as are the next two
    {0xc0a80000, 16},  // private
    {0xc6120000, 15},  // benchmarks, and some private networks
    {0xc6336400, 24},
    {0xcb007100, 24},
    {0xe0000000, 3},  // multicast, reserved, broadcast
});

bool is_public_v4(std::uint32_t address) {
    return std::ranges::none_of(kNotPublic, [&](const Network& network) {
        return (address ^ network.address) >> (32U - network.bits) == 0;
    });
}

// Only global unicast (2000::/3) is public, except for addresses that contain an IPv4 address
// (6to4, Teredo).
bool is_public_v6(const in6_addr& address) {
    const std::uint8_t* bytes = address.s6_addr;
    const bool is_mapped = IN6_IS_ADDR_V4MAPPED(&address);
    if (is_mapped) {
        std::uint32_t inner = 0;
        std::memcpy(&inner, bytes + 12, sizeof(inner));
        return is_public_v4(ntohl(inner));
    }
    const bool is_6to4 = bytes[0] == 0x20 && bytes[1] == 0x02;
    const bool is_teredo = bytes[0] == 0x20 && bytes[1] == 0x01 && bytes[2] == 0 && bytes[3] == 0;
    return (bytes[0] & 0xe0U) == 0x20 && !is_6to4 && !is_teredo;
}

template <typename Address>
Address as(const sockaddr& address) {
    Address typed{};
    std::memcpy(&typed, &address, sizeof(typed));
    return typed;
}

}  // namespace

bool lists_host(const HostList& hosts, std::string_view host) {
    return std::ranges::find(hosts, lower_case(host)) != hosts.end();
}

bool is_public(const sockaddr& address) {
    if (address.sa_family == AF_INET) {
        return is_public_v4(ntohl(as<sockaddr_in>(address).sin_addr.s_addr));
    }
    return address.sa_family == AF_INET6 && is_public_v6(as<sockaddr_in6>(address).sin6_addr);
}

std::string text_of_address(const sockaddr& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (address.sa_family == AF_INET) {
        const sockaddr_in v4 = as<sockaddr_in>(address);
        ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    } else if (address.sa_family == AF_INET6) {
        const sockaddr_in6 v6 = as<sockaddr_in6>(address);
        ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
    }
    return text.data();
}

bool is_own_machine(std::string_view host) {
    constexpr std::uint32_t kLoopback = 0x7f;
    const std::string name(host);
    in_addr v4{};
    in6_addr v6{};
    if (::inet_pton(AF_INET, name.c_str(), &v4) == 1) {
        return ntohl(v4.s_addr) >> 24U == kLoopback;
    }
    if (::inet_pton(AF_INET6, name.c_str(), &v6) == 1) {
        std::uint32_t inner = 0;
        std::memcpy(&inner, &v6.s6_addr[12], sizeof(inner));
        return IN6_IS_ADDR_LOOPBACK(&v6) ||
               (IN6_IS_ADDR_V4MAPPED(&v6) && ntohl(inner) >> 24U == kLoopback);
    }
    return lower_case(host) == "localhost";
}

}  // namespace renderer::repo
