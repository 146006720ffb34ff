// Asks the pod's resolver (/etc/resolv.conf, /etc/hosts) for the addresses of a name in one family.
// It is an interface: cares.h has the implementation, tests have their own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/base/ip_address.h"
#include "runtime/base/loop.h"

namespace runtime::dns {

enum class Family { V4, V6 };

struct Answer {
    std::vector<IpAddress> addresses =
        {};                    // empty without a problem: no record of this family, or no such name
    Duration ttl = {};         // the smallest of all records, including CNAMEs
    std::string problem = {};  // why it failed: "timeout while contacting DNS servers"
};

class Lookup {
public:
    Lookup() = default;
    Lookup(const Lookup&) = delete;
    Lookup& operator=(const Lookup&) = delete;
    virtual ~Lookup() = default;

    // Calls `done` once, never inside this call, and not after the lookup is destroyed.
    virtual void addresses_of(const std::string& name, Family family,
                              std::function<void(Answer)> done) = 0;
};

}  // namespace runtime::dns
