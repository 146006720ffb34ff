#include "runtime/localapi/bus_watch.h"

#include <algorithm>
#include <utility>

namespace runtime::localapi {

namespace {

constexpr Duration kResync = std::chrono::minutes(10);
constexpr Duration kPatience = std::chrono::minutes(1);
constexpr unsigned kAlways = kInitialState | kInitialPrefs | kInitialHealth;

}  // namespace

BusWatch::BusWatch(Loop& loop, LocalApi& api, RandomSource& random, TailnetView& view,
                   Listener listener)
    : loop_(loop),
      api_(api),
      view_(view),
      listener_(std::move(listener)),
      backoff_(random, std::chrono::milliseconds(50), std::chrono::seconds(5)) {}

BusWatch::~BusWatch() {
    close();
}

void BusWatch::open(bool peers) {
    close();
    mask_ = kAlways | kInitialStatus | kNoNetMap | (peers ? kPeerChanges : 0);
    failing_since_ = {};
    backoff_.reset();
    connect();
}

void BusWatch::close() {
    ++connection_;
    api_.cancel(std::exchange(request_, 0));
    loop_.cancel(std::exchange(timer_, 0));
    loop_.cancel(std::exchange(resync_, 0));
}

void BusWatch::connect() {
    ++connection_;
    reader_ = std::make_shared<BusReader>(static_cast<BusSink&>(*this));
    loop_.cancel(resync_);
    resync_ = loop_.after(kResync, [this] {
        resync_ = 0;
        close();
        connect();
    });
    is_first_ = true;
    has_heard_ = false;
    const unsigned mask = is_old_ ? kAlways | kInitialNetMap : mask_;
    request_ = api_.watch_bus(
        mask, 2 * kResync, [this](std::string_view bytes) { take(bytes); },
        [this](const LocalReply& reply) { end(reply); });
}

void BusWatch::take(std::string_view bytes) {
    has_heard_ = true;
    failing_since_ = {};
    const std::uint64_t connection = connection_;
    const auto reader = reader_;  // the handler may end this connection
    while (!bytes.empty() && connection == connection_) {
        const std::size_t line = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
        if (!reader->take(bytes.substr(0, line))) {
            close();
            listener_.on_trouble("the IPN bus does not speak JSON");
            return retry();
        }
        bytes.remove_prefix(line);
    }
}

void BusWatch::end_message(const BusMessage& message) {
    const bool is_first = std::exchange(is_first_, false);
    if (is_first && !is_old_ && !message.is_snapshot && !message.version.empty()) {
        is_old_ = true;
        close();
        connect();
        return;
    }
    listener_.on_message(message);
}

void BusWatch::end(const LocalReply& reply) {
    request_ = 0;
    const Duration now = loop_.uptime();
    if (has_heard_) {
        backoff_.reset();
    } else if (!failing_since_) {
        failing_since_ = now;
    }
    const std::string problem = reply.ok() ? "the stream ended" : reply.problem;
    if (failing_since_ && now - *failing_since_ >= kPatience) {
        return listener_.on_failure(problem);
    }
    listener_.on_trouble(problem);
    retry();
}

void BusWatch::retry() {
    timer_ = loop_.after(backoff_.next(), [this] {
        timer_ = 0;
        connect();
    });
}

}  // namespace runtime::localapi
