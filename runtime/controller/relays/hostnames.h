// What hostnames of load balancers resolve to: looked up when they are needed, and every 30 seconds
// while they are. Waits for no answer longer than 5 seconds; one that comes later counts when it
// comes.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "runtime/base/loop.h"
#include "runtime/base/resolver.h"
#include "runtime/controller/relays/endpoints.h"

namespace runtime::controller {

class Hostnames {
public:
    // All references outlive it. `changed` is called when something else is known.
    Hostnames(Loop& loop, Resolver& resolver, std::function<void()> changed)
        : loop_(loop), resolver_(resolver), changed_(std::move(changed)) {}

    // Others are forgotten.
    void look_up(const std::set<std::string>& wanted);
    [[nodiscard]] KnownHosts known() const;
    // Why the last lookup has failed; "": it has not, twice in a row.
    [[nodiscard]] std::string problem(const std::string& host) const;

private:
    struct Lookup {
        bool is_busy = false, is_known = false;
        int failures = 0;        // one after the other
        Duration asked_at = {};  // uptime
        Resolution said;
    };
    void ask(const std::string& host);
    void take(const std::string& host, Resolution said);

    Loop& loop_;
    Resolver& resolver_;
    std::function<void()> changed_;
    std::map<std::string, Lookup> lookups_;
};

}  // namespace runtime::controller
