// Prefixes of both families, and an address with a port.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/ip_address.h"

namespace runtime {

struct IpPrefix {
    IpAddress address;
    int bits = 0;

    // "10.0.0.0/8"; an address alone is the prefix that holds it and nothing else.
    static std::optional<IpPrefix> parse(std::string_view text);
    static IpPrefix of(const IpAddress& address);
    [[nodiscard]] bool is_one_address() const { return *this == of(address); }
    [[nodiscard]] bool contains(const IpAddress& other) const;
    [[nodiscard]] std::string text() const;

    friend auto operator<=>(const IpPrefix&, const IpPrefix&) = default;
};

// "10.0.0.1:80" or "[fd00::1]:80", as in TS_LOCAL_ADDR_PORT. No value: it is neither.
struct AddressPort {
    IpAddress address;
    std::uint16_t port = 0;

    static std::optional<AddressPort> parse(std::string_view text);
};

}  // namespace runtime
