#include "runtime/base/ip_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

#include "renderer/base/check.h"

namespace runtime::inline base {

IpAddress::IpAddress(std::string_view bytes) : size_(static_cast<std::uint8_t>(bytes.size())) {
    std::copy(bytes.begin(), bytes.end(), bytes_.begin());
}

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
    const std::string terminated(text);
    char bytes[sizeof(in6_addr)];
    if (terminated.find('\0') != std::string::npos) {
        return {};
    }
    if (inet_pton(AF_INET, terminated.c_str(), bytes) == 1) {
        return IpAddress({bytes, sizeof(in_addr)});
    }
    if (inet_pton(AF_INET6, terminated.c_str(), bytes) == 1) {
        return IpAddress({bytes, sizeof(in6_addr)});
    }
    return {};
}

std::optional<IpAddress> IpAddress::from_bytes(std::string_view bytes) {
    if (bytes.size() != sizeof(in_addr) && bytes.size() != sizeof(in6_addr)) {
        return {};
    }
    return IpAddress(bytes);
}

bool IpAddress::is_loopback() const {
    constexpr std::array<std::uint8_t, 16> kLoopback6 = {0, 0, 0, 0, 0, 0, 0, 0,
                                                         0, 0, 0, 0, 0, 0, 0, 1};
    return is_v6() ? bytes_ == kLoopback6 : bytes_[0] == 127;
}

std::string IpAddress::text() const {
    char text[INET6_ADDRSTRLEN];
    CHECK(inet_ntop(is_v6() ? AF_INET6 : AF_INET, bytes_.data(), text, sizeof text) != nullptr);
    return text;
}

}  // namespace runtime::inline base
