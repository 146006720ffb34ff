#include "runtime/controller/view/population.h"

#include <iterator>

namespace runtime::controller {

namespace {

constexpr Duration kYouth = std::chrono::hours(24);

// Both Secrets must be young, because one may have been recreated.
bool is_young(const Replica& replica, Time now) {
    const auto is_new = [now](const auto* secret) {
        return secret != nullptr && secret->made_at.has_value() && now - *secret->made_at < kYouth;
    };
    return is_new(replica.auth) && is_new(replica.state);
}

}  // namespace

void Population::count(const Known& known, int sign) {
    if (known.is_wanted) {
        wanted_ += sign;
        wanted_young_ += known.is_young ? sign : 0;
    }
}

void Population::see(const Replica& replica, Time now, Duration uptime, bool counts_all) {
    const bool young = !counts_all && is_young(replica, now);
    const auto [known, is_new] = all_.try_emplace(std::string(replica.pod_name));
    if (!is_new) {
        count(known->second, -1);
    }
    known->second = {.is_wanted = is_wanted(replica), .is_young = young};
    count(known->second, 1);
    if (known->second.is_wanted) {
        leaving_.erase(known->first);
    } else {
        leaving_.try_emplace(known->first, Leaver{.since = uptime}).first->second.is_young = young;
    }
}

void Population::forget(std::string_view pod) {
    if (const auto known = all_.find(pod); known != all_.end()) {
        count(known->second, -1);
        leaving_.erase(known->first);
        all_.erase(known);
    }
}

void Population::begin_all() {
    for (auto& [unused, known] : all_) {
        known.was_seen = false;
    }
}

void Population::end_all() {
    for (auto known = all_.begin(); known != all_.end();) {
        const auto next = std::next(known);
        if (!known->second.was_seen) {
            forget(std::string(known->first));
        }
        known = next;
    }
}

}  // namespace runtime::controller
