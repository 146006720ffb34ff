// An IPv4 or IPv6 address as a value: its bytes in network order. IPv4 sorts first, then by bytes.
// An IPv4-mapped IPv6 address stays an IPv6 address.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace runtime::inline base {

class IpAddress {
public:
    // Parses "10.0.0.1" or "fd7a::1". No value for anything else, such as a prefix length, a zone,
    // leading zeros or surrounding space.
    static std::optional<IpAddress> parse(std::string_view text);
    // Takes 4 or 16 bytes in network order. No value for any other number of bytes.
    static std::optional<IpAddress> from_bytes(std::string_view bytes);

    [[nodiscard]] bool is_v6() const { return size_ == 16; }
    [[nodiscard]] bool is_loopback() const;  // 127.0.0.0/8, ::1
    [[nodiscard]] std::string_view bytes() const {
        return {reinterpret_cast<const char*>(bytes_.data()), size_};
    }
    [[nodiscard]] std::string text() const;  // RFC 5952

    friend bool operator==(const IpAddress&, const IpAddress&) = default;
    friend std::strong_ordering operator<=>(const IpAddress&, const IpAddress&) = default;

private:
    explicit IpAddress(std::string_view bytes);

    std::uint8_t size_;
    std::array<std::uint8_t, 16> bytes_ = {};
};

}  // namespace runtime::inline base
