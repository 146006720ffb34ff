// Asks tailscaled which device has an address of the tailnet, and caches the answer for a few
// seconds. Concurrent requests for one address are merged. Failures are not cached.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/api_proxy/caller.h"
#include "runtime/base/ip_prefix.h"
#include "runtime/base/weakly.h"
#include "runtime/localapi/client.h"

namespace runtime::api_proxy {

struct CallerAnswer {
    std::shared_ptr<const Caller> caller = {};  // if null, see `problem`
    bool is_known = false;                      // tailscaled has answered for this address
    std::string problem = {};
};

class Callers {
public:
    using Done = std::function<void(const CallerAnswer&)>;

    // Both references must outlive this.
    Callers(Loop& loop, localapi::LocalApi& api) : loop_(loop), api_(api) {}

    // Returns a cached answer that is at most `age` old, or nullptr. It is valid until the next
    // call.
    [[nodiscard]] const CallerAnswer* known(const AddressPort& source, Duration age) const;
    // Calls `done` with an answer that is at most `age` old, now or later.
    void find(const AddressPort& source, Duration age, Done done);

private:
    struct Entry {
        CallerAnswer answer;
        Duration asked = {};  // uptime
        std::vector<Done> waiting;
    };
    void take(const AddressPort& source, const localapi::LocalReply& reply);
    void forget_old();

    Loop& loop_;
    localapi::LocalApi& api_;
    std::map<IpAddress, Entry> entries_;
    Lifetime lifetime_;
};

}  // namespace runtime::api_proxy
