// An IP prefix of either family, and an address with a port.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/ip_address.h"

namespace runtime::inline base {

struct IpPrefix {
    IpAddress address;
    int bits = 0;

    // Parses "10.0.0.0/8". An address without a length is a prefix that contains only this address.
    static std::optional<IpPrefix> parse(std::string_view text);
    static IpPrefix of(const IpAddress& address);
    [[nodiscard]] bool is_one_address() const { return *this == of(address); }
    [[nodiscard]] bool contains(const IpAddress& other) const;
    [[nodiscard]] std::string text() const;

    friend auto operator<=>(const IpPrefix&, const IpPrefix&) = default;
};

// An address and port: "10.0.0.1:80" or "[fd00::1]:80", as in TS_LOCAL_ADDR_PORT. `parse` returns
// no value for anything else.
struct AddressPort {
    IpAddress address;
    std::uint16_t port = 0;

    static std::optional<AddressPort> parse(std::string_view text);
};

}  // namespace runtime::inline base
