// The addresses of load balancers' hostnames. A hostname is resolved when it is needed, and then
// every 30 seconds. An answer that takes longer than 5 seconds counts as a failure until it
// arrives.
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
    // All references outlive it. `changed` is called when the known addresses change.
    Hostnames(Loop& loop, Resolver& resolver, std::function<void()> changed)
        : loop_(loop), resolver_(resolver), changed_(std::move(changed)) {}

    // Other hostnames are forgotten.
    void look_up(const std::set<std::string>& wanted);
    [[nodiscard]] KnownHosts known() const;
    // Why the lookups fail; "" unless at least two in a row have failed.
    [[nodiscard]] std::string problem(const std::string& host) const;

private:
    struct Lookup {
        bool is_busy = false, is_known = false;
        int failures = 0;        // in a row
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
