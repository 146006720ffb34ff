#include "runtime/dns/resolved_name.h"

#include <fmt/format.h>

#include <utility>

namespace runtime::dns {

namespace {

constexpr Duration kFirstRetry = std::chrono::seconds(1);

}  // namespace

ResolvedName::ResolvedName(Loop& loop, Log& log, RandomSource& random, Lookup& lookup,
                           std::string name, std::string_view cluster_domain,
                           std::function<void(const std::vector<IpAddress>&)> changed)
    : loop_(loop),
      log_(log),
      random_(random),
      lookup_(lookup),
      name_(std::move(name)),
      in_cluster_(is_in_domain(name_, cluster_domain)),
      changed_(std::move(changed)),
      backoff_(random, kFirstRetry, kLongestRetry) {
    ask();
}

ResolvedName::~ResolvedName() {
    loop_.cancel(timer_);
}

void ResolvedName::ask() {
    v4_.reset();
    v6_.reset();
    const auto ask_for = [&](Family family, std::optional<Answer>& answer) {
        lookup_.addresses_of(name_, family, lifetime_.guarded([this, &answer](Answer got) {
            answer = std::move(got);
            take();
        }));
    };
    ask_for(Family::V4, v4_);
    ask_for(Family::V6, v6_);
}

void ResolvedName::take() {
    if (!v4_ || !v6_) {
        return;
    }
    const AddressSet::Outcome outcome = set_.take(*v4_, *v6_);
    if (std::exchange(problem_, outcome.problem) != outcome.problem && !outcome.problem.empty()) {
        log_.warning("cannot resolve a name completely; keeping its last known addresses",
                     {{"name", name_}, {"problem", outcome.problem}});
    }
    if (!outcome.failed) {
        backoff_.reset();
    }
    const Duration delay =
        outcome.failed ? backoff_.next() : delay_until_next(outcome.ttl, in_cluster_, random_);
    timer_ = loop_.after(delay, [this] { ask(); });
    if (outcome.changed) {
        changed_(set_.addresses());  // may destroy this object
    }
}

}  // namespace runtime::dns
