// Decides when a name is looked up again, and which addresses it has until then. Pure.
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
// After a failure the delay is 1 s, and doubles each time, with jitter, up to this.
inline constexpr Duration kLongestRetry = std::chrono::seconds(30);

// Returns true if the name is in the domain, as "web.shop.svc.cluster.local" (with or without the
// last dot) is in "cluster.local". No name is in "".
bool is_in_domain(std::string_view name, std::string_view domain);

// Returns the cluster's domain in the full name of a Service: "corp.example" for
// "web.shop.svc.corp.example". Returns "" for any other name.
std::string_view cluster_domain_of(std::string_view name);

// Returns the TTL, raised to the floor or lowered to the ceiling, less a random part of up to a
// tenth. The result is never more than max(TTL, floor).
Duration delay_until_next(Duration ttl, bool in_cluster, RandomSource& random);

// The addresses of a name, which are kept when lookups fail.
class AddressSet {
public:
    struct Outcome {
        bool changed = false;
        bool failed = false;       // no addresses were returned: the earlier ones are kept
        std::string problem = {};  // of either family; also possible without a failure
        Duration ttl = {};         // the smallest of the families with addresses
    };
    // Takes the answers of both lookups. A family whose lookup failed keeps its addresses.
    Outcome take(const Answer& v4, const Answer& v6);

    // Sorted and unique, IPv4 first. Empty until the first success.
    [[nodiscard]] std::vector<IpAddress> addresses() const;

private:
    std::vector<IpAddress> v4_, v6_;
};

}  // namespace runtime::dns
