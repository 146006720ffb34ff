// Withdraws the Tailscale Services that tailscaled advertises, and waits until the tailnet has
// moved clients to other pods. Traffic is still served meanwhile. Services that are advertised
// again in that time, for example because tailscaled reloads its configuration, are withdrawn too.
// Source: tailscale v1.104.5 kube/services.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/log.h"
#include "runtime/base/weakly.h"
#include "runtime/localapi/client.h"

namespace runtime::localapi {

class Withdrawal {
public:
    // All references must outlive it. `done` is called once; at once if nothing is advertised.
    Withdrawal(Loop& loop, LocalApi& api, Log& log, std::function<void()> done)
        : loop_(loop), api_(api), log_(log), done_(std::move(done)) {}
    ~Withdrawal();
    Withdrawal(const Withdrawal&) = delete;
    Withdrawal& operator=(const Withdrawal&) = delete;

    // Ends within this time, whether or not tailscaled answers.
    void start(Duration at_most);

private:
    void look();
    void take_prefs(const LocalReply& reply);
    void take_back(const std::vector<std::string_view>& names);
    void wait();
    void fail(std::string_view what, const std::string& problem);
    void finish();

    Loop& loop_;
    LocalApi& api_;
    Log& log_;
    std::function<void()> done_;
    std::optional<Duration> moved_at_ = {};  // uptime at which clients have moved
    std::string said_ = {};                  // the last logged problem
    TimerId timer_ = 0, deadline_ = 0;
    Lifetime lifetime_;
};

}  // namespace runtime::localapi
