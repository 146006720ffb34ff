#include "runtime/api_proxy/proxy_header.h"

#include <algorithm>

namespace runtime::api_proxy {

namespace {

constexpr std::string_view kSignature("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr std::size_t kFixed = 16;
constexpr char kVersion2Proxy = 0x21;
constexpr char kTcp4 = 0x11;
constexpr char kTcp6 = 0x21;

std::uint16_t number_at(std::string_view bytes, std::size_t at) {
    return static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[at]) << 8U |
                                      static_cast<unsigned char>(bytes[at + 1]));
}

bool is_peer(const IpAddress& address) {
    const auto first = static_cast<unsigned char>(address.bytes().front());
    const bool is_multicast = address.is_v6() ? first == 0xFF : first >= 224;
    const bool is_unspecified =
        address.is_v6() ? std::ranges::all_of(address.bytes(), [](char c) { return c == 0; })
                        : first == 0;
    return !address.is_loopback() && !is_multicast && !is_unspecified;
}

std::optional<IpAddress> address_of(std::string_view bytes) {
    constexpr std::string_view kMapped("\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
    if (bytes.starts_with(kMapped)) {
        bytes.remove_prefix(kMapped.size());
    }
    const auto address = IpAddress::from_bytes(bytes);
    return address && is_peer(*address) ? address : std::nullopt;
}

}  // namespace

ProxyHeader parse_proxy_header(std::string_view bytes) {
    const ProxyHeader refused{.fault = Fault::ProxyHeader};
    const std::size_t known = std::min(bytes.size(), kSignature.size());
    if (bytes.substr(0, known) != kSignature.substr(0, known)) {
        return refused;
    }
    if (bytes.size() < kFixed) {
        return {};
    }
    const char family = bytes[13];
    if (bytes[12] != kVersion2Proxy || (family != kTcp4 && family != kTcp6)) {
        return refused;
    }
    const std::size_t width = family == kTcp4 ? 4 : 16;
    const std::size_t length = number_at(bytes, 14);
    if (length < 2 * width + 4 || kFixed + length > kLongestProxyHeader) {
        return refused;
    }
    if (bytes.size() < kFixed + length) {
        return {};
    }
    const auto source = address_of(bytes.substr(kFixed, width));
    const std::uint16_t port = number_at(bytes, kFixed + 2 * width);
    if (!source || port == 0) {
        return refused;
    }
    return {.size = kFixed + length, .source = AddressPort{*source, port}};
}

}  // namespace runtime::api_proxy
