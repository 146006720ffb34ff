// Sets of IP addresses: what hosts, IP sets and addresses in a tailnet policy stand for, and the
// routes of a Connector.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace renderer::access {

// Orders IPv4 before IPv6: the first byte is the family, 4 or 6; an IPv4 address has four more.
using Address = std::array<std::uint8_t, 17>;

struct AddressRange {
    Address first = {}, last = {};
};

// Parses "10.0.0.1", "10.0.0.0/8" or "10.0.0.1-10.0.0.9", or the same in IPv6.
std::optional<AddressRange> parse_range(std::string_view text);

class AddressSet {
public:
    AddressSet() = default;
    explicit AddressSet(const std::vector<AddressRange>& ranges);

    void add(const AddressRange& range);
    void add(const AddressSet& other);
    void remove(const AddressRange& range);
    void remove(const AddressSet& other);

    [[nodiscard]] bool empty() const { return ranges_.empty(); }
    [[nodiscard]] bool is_one() const {
        return ranges_.size() == 1 && ranges_.front().first == ranges_.front().last;
    }
    [[nodiscard]] bool overlaps(const AddressSet& other) const;
    [[nodiscard]] bool covers(const AddressSet& other) const;
    // Returns bytes that only equal sets share.
    [[nodiscard]] std::string key() const;

private:
    std::vector<AddressRange> ranges_;  // sorted, without overlaps
};

// The addresses of devices: 100.64.0.0/10 and fd7a:115c:a1e0::/48.
const AddressSet& tailnet_addresses();
// All public addresses, as autogroup:internet has them.
const AddressSet& internet_addresses();

}  // namespace renderer::access
