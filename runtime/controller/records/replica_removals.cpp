#include "runtime/controller/records/replica_removals.h"

#include <utility>

namespace runtime::controller {

namespace {

constexpr Duration kYoungInstallation = std::chrono::hours(24);

}  // namespace

ReplicaRemovals::ReplicaRemovals(const Loop& loop, Ledger& ledger, Log& log)
    : loop_(loop),
      ledger_(ledger),
      guard_(ledger, log, {.blocked = kBlockedKey, .removed = kRemovedKey}, "proxies") {}

void ReplicaRemovals::count(const Changes& due, Replicas& replicas) {
    const LedgerCopy* ledger = ledger_.copy();
    const bool counts_all = ledger == nullptr || !ledger->made_at.has_value() ||
                            loop_.now() - *ledger->made_at < kYoungInstallation;
    const auto see_one = [this, counts_all](const Replica& replica) {
        population_.see(replica, loop_.now(), loop_.uptime(), counts_all);
    };
    if (due.everything) {
        population_.begin_all();
        replicas.each(see_one);
        return population_.end_all();
    }
    for (const std::string& pod : due.pods) {
        const auto replica = replicas.find(pod);
        replica.has_value() ? see_one(*replica) : population_.forget(pod);
    }
}

void ReplicaRemovals::see(const Changes& due, Replicas& replicas, kube::Events& events) {
    count(due, replicas);
    Departures departures{
        .wanted = static_cast<std::size_t>(population_.wanted() - population_.wanted_young()),
        .wanted_young = static_cast<std::size_t>(population_.wanted_young())};
    for (const auto& [pod, leaver] : population_.leaving()) {
        (leaver.is_young ? departures.young : departures.leaving).insert(pod);
    }
    guard_.ask(std::move(departures), loop_.now());
    guard_.tell(events);
}

bool ReplicaRemovals::may_remove(const std::string& pod, Duration delay) {
    const auto leaver = population_.leaving().find(pod);
    // Times of other clocks may jump.
    return leaver != population_.leaving().end() &&
           loop_.uptime() - leaver->second.since >= delay && guard_.may_remove(pod, loop_.now());
}

}  // namespace runtime::controller
