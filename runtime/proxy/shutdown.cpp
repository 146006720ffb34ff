#include "runtime/proxy/shutdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"

namespace runtime {

using renderer::Value;

namespace {

constexpr Duration kBudget = std::chrono::seconds(25);
// What the tailnet takes to send clients elsewhere (15 s), and a little.
constexpr Duration kMove = std::chrono::seconds(20);
constexpr Duration kLongestPause = std::chrono::seconds(2);

}  // namespace

Shutdown::Shutdown(Loop& loop, LocalApi& api, Log& log, StateSecret* state, std::string secret_name,
                   std::function<void()> ready)
    : loop_(loop),
      api_(api),
      log_(log),
      state_(state),
      secret_name_(std::move(secret_name)),
      ready_(std::move(ready)) {}

Shutdown::~Shutdown() {
    loop_.cancel(timer_);
    loop_.cancel(deadline_timer_);
}

void Shutdown::start() {
    deadline_ = loop_.uptime() + kBudget;
    deadline_timer_ = loop_.after(kBudget, [this] { finish(); });
    api_.prefs([this, alive = std::weak_ptr(alive_)](const LocalReply& reply) {
        if (!alive.expired()) {
            take_prefs(reply);
        }
    });
}

Duration Shutdown::left() const {
    return std::max(deadline_ - loop_.uptime(), Duration{});
}

void Shutdown::take_prefs(const LocalReply& reply) {
    if (!reply.ok()) {
        log_.error("Error ensuring services are not advertised: error getting prefs: " +
                   reply.problem);
        return wait_for_state();
    }
    const auto prefs = renderer::read_json(reply.body);
    const Value* services = prefs && prefs->is_map() ? prefs->find("AdvertiseServices") : nullptr;
    std::vector<std::string_view> names;
    for (const Value& service : renderer::items_of(services)) {
        names.push_back(renderer::text_of(service));
    }
    if (names.empty()) {
        return wait_for_state();
    }
    log_.info(fmt::format("unadvertising services: [{}]", fmt::join(names, " ")));
    const Value none = Value::map({{"AdvertiseServicesSet", true}, {"AdvertiseServices", Value()}});
    api_.edit_prefs(none, [this, alive = std::weak_ptr(alive_)](const LocalReply& edited) {
        if (alive.expired()) {
            return;
        }
        if (!edited.ok()) {
            log_.error(
                "Error ensuring services are not advertised: error setting prefs "
                "AdvertiseServices: " +
                edited.problem);
            return wait_for_state();
        }
        timer_ = loop_.after(std::min(kMove, left()), [this] { wait_for_state(); });
    });
}

void Shutdown::wait_for_state() {
    if (state_ == nullptr || is_over_) {
        return finish();
    }
    if (looks_ == 0) {
        log_.info("Checking for consistent state");
    }
    state_->read([this, alive = std::weak_ptr(alive_)](const StateSecret::Content& content) {
        if (alive.expired() || is_over_) {
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
    });
}

void Shutdown::finish() {
    if (!std::exchange(is_over_, true)) {
        ready_();
    }
}

}  // namespace runtime
