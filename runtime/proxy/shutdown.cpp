#include "runtime/proxy/shutdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace runtime::proxy {

namespace {

constexpr Duration kBudget = std::chrono::seconds(25);
constexpr Duration kForState = std::chrono::seconds(4);  // always left of kBudget for the state
constexpr Duration kLongestPause = std::chrono::seconds(2);

}  // namespace

Shutdown::Shutdown(Loop& loop, localapi::LocalApi& api, Log& log, OwnStateSecret* state,
                   std::string secret_name, std::function<void()> ready)
    : loop_(loop),
      log_(log),
      state_(state),
      secret_name_(std::move(secret_name)),
      ready_(std::move(ready)),
      withdrawal_(loop, api, log, [this] { wait_for_state(); }) {}

Shutdown::~Shutdown() {
    loop_.cancel(timer_);
    loop_.cancel(deadline_timer_);
}

void Shutdown::start() {
    deadline_timer_ = loop_.after(kBudget, [this] { finish(); });
    withdrawal_.start(kBudget - kForState);
}

void Shutdown::wait_for_state() {
    if (state_ == nullptr || is_over_) {
        return finish();
    }
    if (looks_ == 0) {
        log_.info("Checking for consistent state");
    }
    state_->read(lifetime_.guarded([this](const OwnStateSecret::Content& content) {
        if (is_over_) {
            return;
        }
        if (!content.problem.empty()) {
            log_.error(
                fmt::format("Error waiting for consistent state on shutdown: getting Secret "
                            "\"{}\": {}",
                            secret_name_, content.problem));
            return finish();
        }
        if (!content.exists || is_consistent(content.data)) {
            return finish();
        }
        if (looks_++ == 0) {
            log_.info(fmt::format("Waiting for tailscaled to finish writing state to Secret \"{}\"",
                                  secret_name_));
        }
        const Duration pause = std::min(std::chrono::milliseconds(10) * looks_ * looks_,
                                        std::chrono::milliseconds(kLongestPause));
        timer_ = loop_.after(pause, [this] { wait_for_state(); });
    }));
}

void Shutdown::finish() {
    if (!std::exchange(is_over_, true)) {
        ready_();
    }
}

}  // namespace runtime::proxy
