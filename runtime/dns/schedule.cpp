#include "runtime/dns/schedule.h"

#include <algorithm>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/split.h"

namespace runtime::dns {

namespace {

std::string_view without_last_dot(std::string_view name) {
    if (name.ends_with('.')) {
        name.remove_suffix(1);
    }
    return name;
}

// Returns true if the set has changed.
bool replace(std::vector<IpAddress>& old, std::vector<IpAddress> found) {
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return std::exchange(old, found) != found;
}

}  // namespace

bool is_in_domain(std::string_view name, std::string_view domain) {
    const std::string lower = renderer::lower_case(without_last_dot(name));
    const std::string suffix = "." + renderer::lower_case(without_last_dot(domain));
    return suffix.size() > 1 && lower.size() > suffix.size() && lower.ends_with(suffix);
}

std::string_view cluster_domain_of(std::string_view name) {
    std::string_view rest = without_last_dot(name);
    constexpr int kMostBefore = 3;  // host, service and namespace
    for (int before = 0; before <= kMostBefore && !rest.empty(); ++before) {
        const std::string_view label = renderer::take(rest, '.');
        if (label.empty()) {
            break;
        }
        if (label == "svc" && before >= kMostBefore - 1) {
            return rest;
        }
    }
    return {};
}

Duration delay_until_next(Duration ttl, bool in_cluster, RandomSource& random) {
    const Duration delay = std::clamp(ttl, in_cluster ? kClusterFloor : kFloor, kCeiling);
    const auto tenth = static_cast<std::uint64_t>(delay.count() / 10);
    return delay - Duration(static_cast<Duration::rep>(random.below(tenth + 1)));
}

AddressSet::Outcome AddressSet::take(const Answer& v4, const Answer& v6) {
    Outcome outcome;
    for (const Answer* answer : {&v4, &v6}) {
        if (!answer->problem.empty()) {
            outcome.problem = answer->problem;
        }
    }
    if (v4.addresses.empty() && v6.addresses.empty()) {
        outcome.failed = true;
        if (outcome.problem.empty()) {
            outcome.problem = "it has no addresses";
        }
        return outcome;
    }
    outcome.ttl = kCeiling;
    for (const auto& [answer, addresses] : {std::pair(&v4, &v4_), std::pair(&v6, &v6_)}) {
        if (answer->problem.empty()) {
            outcome.changed |= replace(*addresses, answer->addresses);
        }
        if (!answer->addresses.empty()) {
            outcome.ttl = std::min(outcome.ttl, answer->ttl);
        }
    }
    return outcome;
}

std::vector<IpAddress> AddressSet::addresses() const {
    std::vector<IpAddress> all = v4_;
    all.insert(all.end(), v6_.begin(), v6_.end());
    return all;
}

}  // namespace runtime::dns
