#include "runtime/localapi/withdrawal.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"

namespace runtime::localapi {

using renderer::Value;

namespace {

// The tailnet takes 15 s to move clients; this adds a margin.
constexpr Duration kMove = std::chrono::seconds(20);
constexpr Duration kLook = std::chrono::seconds(1);

}  // namespace

Withdrawal::~Withdrawal() {
    loop_.cancel(timer_);
    loop_.cancel(deadline_);
}

void Withdrawal::start(Duration at_most) {
    deadline_ = loop_.after(at_most, [this] { finish(); });
    look();
}

void Withdrawal::look() {
    api_.prefs(lifetime_.guarded([this](const LocalReply& reply) {
        if (done_ != nullptr) {
            take_prefs(reply);
        }
    }));
}

void Withdrawal::take_prefs(const LocalReply& reply) {
    if (!reply.ok()) {
        return fail("error getting prefs", reply.problem);
    }
    const auto prefs = renderer::read_json(reply.body);
    const Value* services = prefs && prefs->is_map() ? prefs->find("AdvertiseServices") : nullptr;
    std::vector<std::string_view> names;
    for (const Value& service : renderer::items_of(services)) {
        names.push_back(renderer::text_of(service));
    }
    if (!names.empty()) {
        return take_back(names);
    }
    moved_at_ ? wait() : finish();
}

void Withdrawal::take_back(const std::vector<std::string_view>& names) {
    log_.info(fmt::format("unadvertising services: [{}]", fmt::join(names, " ")));
    const Value none = Value::map({{"AdvertiseServicesSet", true}, {"AdvertiseServices", Value()}});
    api_.edit_prefs(none, lifetime_.guarded([this](const LocalReply& edited) {
        if (done_ == nullptr) {
            return;
        }
        if (!edited.ok()) {
            return fail("error setting prefs AdvertiseServices", edited.problem);
        }
        moved_at_ = loop_.uptime() + kMove;
        wait();
    }));
}

void Withdrawal::wait() {
    const Duration left = *moved_at_ - loop_.uptime();
    if (left <= Duration()) {
        return finish();
    }
    timer_ = loop_.after(std::min(left, kLook),
                         [this] { loop_.uptime() >= *moved_at_ ? finish() : look(); });
}

void Withdrawal::fail(std::string_view what, const std::string& problem) {
    std::string said =
        fmt::format("Error ensuring services are not advertised: {}: {}", what, problem);
    if (said != said_) {
        log_.error(said);
    }
    said_ = std::move(said);
    moved_at_ ? wait() : finish();
}

void Withdrawal::finish() {
    loop_.cancel(std::exchange(timer_, 0));
    loop_.cancel(std::exchange(deadline_, 0));
    if (done_ != nullptr) {
        std::exchange(done_, nullptr)();
    }
}

}  // namespace runtime::localapi
