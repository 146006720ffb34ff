// An IPv4 or IPv6 address as a value: the bytes of the wire, ordered IPv4 first, then by bytes. An
// IPv4-mapped IPv6 address stays what it is written as.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace runtime {

class IpAddress {
public:
    // "10.0.0.1" or "fd7a::1"; no value for anything else: a prefix length, a zone, leading zeros,
    // space around it.
    static std::optional<IpAddress> parse(std::string_view text);
    // No value unless there are 4 or 16 bytes, most significant first.
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

}  // namespace runtime
