#include "runtime/nft/reconciler.h"

#include <fmt/format.h>

#include <utility>

#include "runtime/nft/desired.h"

namespace runtime::nft {

namespace {

constexpr Duration kPeriod = std::chrono::minutes(1);
// Changes come in groups. Our own changes are reported too, which costs one more read.
constexpr Duration kAfterChange = std::chrono::milliseconds(200);
constexpr Duration kFirstRetry = std::chrono::milliseconds(100);
constexpr Duration kLongestRetry = std::chrono::seconds(30);

std::string text_of(const renderer::Diagnostic& diagnostic) {
    return diagnostic.hint.empty() ? diagnostic.message
                                   : fmt::format("{} ({})", diagnostic.message, diagnostic.hint);
}

}  // namespace

Reconciler::Reconciler(Loop& loop, Log& log, RandomSource& random, Dataplane& dataplane,
                       std::function<void()> applied)
    : loop_(loop),
      log_(log),
      dataplane_(dataplane),
      on_applied_(std::move(applied)),
      backoff_(random, kFirstRetry, kLongestRetry) {}

Reconciler::~Reconciler() {
    loop_.cancel(timer_);
}

void Reconciler::set(Forwarding wanted) {
    if (wanted_ != wanted) {
        wanted_ = std::move(wanted);
        flows_checked_ = false;
        backoff_.reset();
        pass();
    }
}

void Reconciler::disturbed() {
    // After a failure a pass is scheduled anyway.
    if (applied_ && !disturbed_) {
        disturbed_ = true;
        plan(kAfterChange);
    }
}

void Reconciler::pass() {
    disturbed_ = false;
    auto changed = reconcile();
    if (!changed) {
        applied_ = false;
        const std::string problem = text_of(changed.error().diagnostic);
        if (std::exchange(problem_, problem) != problem) {
            log_.warning("forwarding rules are not applied", {{"problem", problem}});
        }
        plan(backoff_.next());
        return;
    }
    backoff_.reset();
    problem_.clear();
    const bool is_news = !std::exchange(applied_, true) || *changed;
    plan(kPeriod);
    if (is_news) {
        on_applied_();  // may call `set`
    }
}

renderer::Result<bool> Reconciler::reconcile() {
    const Live live = TRY(dataplane_.read());
    const Batch batch = diff(live.table, desired(*wanted_));
    if (!batch.empty()) {
        TRY(dataplane_.apply(batch, live.generation));
        flows_checked_ = false;
    }
    check_flows();
    return !batch.empty();
}

// A failure here is not a failure of the rules: they apply to new connections in any case.
void Reconciler::check_flows() {
    if (flows_checked_) {
        return;
    }
    auto removed = dataplane_.remove_stale_flows(*wanted_);
    flows_checked_ = removed.has_value();
    const std::string problem =
        flows_checked_ ? std::string() : text_of(removed.error().diagnostic);
    if (std::exchange(flow_problem_, problem) != problem && !problem.empty()) {
        log_.warning("connections to removed targets are still tracked", {{"problem", problem}});
    } else if (flows_checked_ && *removed > 0) {
        log_.info("ended the tracking of connections to removed targets",
                  {{"connections", fmt::format("{}", *removed)}});
    }
}

void Reconciler::plan(Duration delay) {
    loop_.cancel(timer_);
    timer_ = loop_.after(delay, [this] { pass(); });
}

}  // namespace runtime::nft
