#include "runtime/base/ip_prefix.h"

#include <fmt/format.h>

#include <charconv>

namespace runtime::inline base {

namespace {

std::optional<int> parse_number(std::string_view text, int highest) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 0 ||
        number > highest || (text.size() > 1 && text.front() == '0')) {
        return std::nullopt;
    }
    return number;
}

int bits_of(const IpAddress& address) {
    return address.is_v6() ? 128 : 32;
}

}  // namespace

IpPrefix IpPrefix::of(const IpAddress& address) {
    return {address, bits_of(address)};
}

std::optional<IpPrefix> IpPrefix::parse(std::string_view text) {
    const std::size_t slash = text.find('/');
    const auto address = IpAddress::parse(text.substr(0, slash));
    if (!address) {
        return std::nullopt;
    }
    if (slash == std::string_view::npos) {
        return of(*address);
    }
    const auto bits = parse_number(text.substr(slash + 1), bits_of(*address));
    return bits ? std::optional(IpPrefix{*address, *bits}) : std::nullopt;
}

bool IpPrefix::contains(const IpAddress& other) const {
    const std::string_view ours = address.bytes();
    const std::string_view theirs = other.bytes();
    if (ours.size() != theirs.size()) {
        return false;
    }
    for (int bit = 0; bit < bits; bit += 8) {
        const auto at = static_cast<std::size_t>(bit / 8);
        const int unused = bits - bit >= 8 ? 0 : 8 - (bits - bit);
        const auto high = [unused](char byte) {
            return static_cast<unsigned char>(byte) >> unused;
        };
        if (high(ours[at]) != high(theirs[at])) {
            return false;
        }
    }
    return true;
}

std::string IpPrefix::text() const {
    return fmt::format("{}/{}", address.text(), bits);
}

std::optional<AddressPort> AddressPort::parse(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view host = text.substr(0, colon);
    const bool has_brackets = host.starts_with('[') && host.ends_with(']');
    if (has_brackets) {
        host = host.substr(1, host.size() - 2);
    }
    const auto address = IpAddress::parse(host);
    const auto port = parse_number(text.substr(colon + 1), 65535);
    if (!address || !port || address->is_v6() != has_brackets) {
        return std::nullopt;
    }
    return AddressPort{*address, static_cast<std::uint16_t>(*port)};
}

}  // namespace runtime::inline base
