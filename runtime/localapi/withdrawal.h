// Takes from tailscaled what it advertises of Tailscale Services, and leaves the tailnet the time
// to send clients to other pods: what is served goes on meanwhile. What is advertised anew in that
// time, as by a tailscaled that reads its configuration again, is taken back as well. Source:
// tailscale v1.104.5 kube/services.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/log.h"
#include "runtime/localapi/client.h"

namespace runtime {

class Withdrawal {
public:
    // All references outlive it. `done`: at once where nothing is advertised, and once.
    Withdrawal(Loop& loop, LocalApi& api, Log& log, std::function<void()> done)
        : loop_(loop), api_(api), log_(log), done_(std::move(done)) {}
    ~Withdrawal();
    Withdrawal(const Withdrawal&) = delete;
    Withdrawal& operator=(const Withdrawal&) = delete;

    // Ends within that time, whether or not tailscaled answers.
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
    std::optional<Duration> moved_at_ = {};  // uptime at which clients are elsewhere
    std::string said_ = {};                  // of what went wrong last
    TimerId timer_ = 0, deadline_ = 0;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace runtime
