#include "runtime/nft/ruleset.h"

#include <linux/netfilter.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace runtime::nft {

namespace {

// Bits of a part's number in the type of a concatenation (nft's datatype.h, TYPE_BITS).
constexpr std::uint32_t kTypeBits = 6;

struct Family {
    std::string_view name;
    std::uint8_t number;
};
constexpr std::array<Family, 6> kFamilies = {{{"arp", NFPROTO_ARP},
                                              {"bridge", NFPROTO_BRIDGE},
                                              {"inet", NFPROTO_INET},
                                              {"ip", NFPROTO_IPV4},
                                              {"ip6", NFPROTO_IPV6},
                                              {"netdev", NFPROTO_NETDEV}}};

}  // namespace

std::uint8_t family_number(std::string_view name) {
    for (const Family& family : kFamilies) {
        if (family.name == name) {
            return family.number;
        }
    }
    return NFPROTO_UNSPEC;
}

std::string_view family_name(std::uint32_t number) {
    for (const Family& family : kFamilies) {
        if (family.number == number) {
            return family.name;
        }
    }
    return {};
}

std::uint32_t type_number(const std::vector<Part>& parts) {
    std::uint32_t number = 0;
    for (const Part part : parts) {
        number = (number << kTypeBits) | static_cast<std::uint32_t>(part);
    }
    return number;
}

std::vector<Part> parts_of(std::uint32_t type_number) {
    std::vector<Part> parts;
    for (; type_number != 0; type_number >>= kTypeBits) {
        parts.push_back(static_cast<Part>(type_number & ((1U << kTypeBits) - 1)));
    }
    std::reverse(parts.begin(), parts.end());
    return parts;
}

std::string number_part(std::uint32_t number) {
    std::string bytes(sizeof number, '\0');
    std::memcpy(bytes.data(), &number, sizeof number);
    return bytes;
}

std::string port_part(std::uint16_t port) {
    return {static_cast<char>(port >> 8), static_cast<char>(port & 0xff), '\0', '\0'};
}

std::string protocol_part(std::uint8_t protocol) {
    return {static_cast<char>(protocol), '\0', '\0', '\0'};
}

std::size_t size_of(const std::vector<Part>& parts) {
    std::size_t size = 0;
    for (const Part part : parts) {
        size += part == Part::Ipv6 ? 16 : 4;
    }
    return size;
}

}  // namespace runtime::nft
