// When a name is asked for again, and what its addresses are meanwhile. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/backoff.h"
#include "runtime/base/ip_address.h"
#include "runtime/base/loop.h"
#include "runtime/dns/lookup.h"

namespace runtime::dns {

inline constexpr Duration kClusterFloor = std::chrono::seconds(5);
inline constexpr Duration kFloor = std::chrono::seconds(30);
inline constexpr Duration kCeiling = std::chrono::minutes(10);
// After failures: 1 s, twice as long each time, with chance, up to this.
inline constexpr Duration kLongestRetry = std::chrono::seconds(30);

// "web.shop.svc.cluster.local" (with or without the last dot) is in "cluster.local"; no name is in
// "".
bool is_in_domain(std::string_view name, std::string_view domain);

// The cluster's domain in the full name of a Service: "corp.example" of
// "web.shop.svc.corp.example".
// "": it is another name.
std::string_view cluster_domain_of(std::string_view name);

// The TTL, not below the floor nor above the ceiling, less up to a tenth by chance: never later
// than max(TTL, floor).
Duration delay_until_next(Duration ttl, bool in_cluster, RandomSource& random);

// The addresses of a name through good times and bad.
class AddressSet {
public:
    struct Outcome {
        bool changed = false;
        bool failed = false;       // no addresses came at all: those of before are kept
        std::string problem = {};  // of one family, or of both; may be there without a failure
        Duration ttl = {};         // the least of the families that brought addresses
    };
    // The answers to a pair of lookups. A family that could not be asked for keeps its addresses.
    Outcome take(const Answer& v4, const Answer& v6);

    // Sorted, each once, IPv4 first. Empty until the first success.
    [[nodiscard]] std::vector<IpAddress> addresses() const;

private:
    std::vector<IpAddress> v4_, v6_;
};

}  // namespace runtime::dns
