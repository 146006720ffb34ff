// Asks the pod's resolver (/etc/resolv.conf, /etc/hosts) for the addresses of a name of one family.
// A seam: cares.h has the real one, tests have their own.
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
        {};             // empty without a problem: the name has none of this family, or no record
    Duration ttl = {};  // the least of all records, CNAMEs as well
    std::string problem = {};  // nothing is known: "timeout while contacting DNS servers"
};

class Lookup {
public:
    Lookup() = default;
    Lookup(const Lookup&) = delete;
    Lookup& operator=(const Lookup&) = delete;
    virtual ~Lookup() = default;

    // Calls `done` once, never inside this call; not at all once the lookup is destroyed.
    virtual void addresses_of(const std::string& name, Family family,
                              std::function<void(Answer)> done) = 0;
};

}  // namespace runtime::dns
