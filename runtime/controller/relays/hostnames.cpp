#include "runtime/controller/relays/hostnames.h"

#include <utility>

namespace runtime::controller {

namespace {

constexpr Duration kPatience = std::chrono::seconds(5);
constexpr Duration kLookupLasts = std::chrono::seconds(30);
constexpr int kLookupGlitches = 1;  // failures that are not reported

}  // namespace

void Hostnames::look_up(const std::set<std::string>& wanted) {
    std::erase_if(lookups_, [&wanted](const auto& lookup) {
        return !lookup.second.is_busy && !wanted.contains(lookup.first);
    });
    for (const std::string& host : wanted) {
        const auto [lookup, is_new] = lookups_.try_emplace(host);
        const bool is_due = is_new || loop_.uptime() - lookup->second.asked_at >= kLookupLasts;
        if (is_due && !lookup->second.is_busy) {
            ask(host);
        }
    }
}

void Hostnames::ask(const std::string& host) {
    Lookup& lookup = lookups_[host];
    lookup.is_busy = true;
    lookup.asked_at = loop_.uptime();
    resolver_.resolve(host, [this, host](Resolution said) {
        lookups_[host].is_busy = false;
        take(host, std::move(said));
    });
    loop_.after(kPatience, [this, host, asked_at = lookup.asked_at] {
        const auto waiting = lookups_.find(host);
        if (waiting != lookups_.end() && waiting->second.is_busy &&
            waiting->second.asked_at == asked_at) {
            take(host, {.addresses = {}, .problem = "no answer"});
        }
    });
}

void Hostnames::take(const std::string& host, Resolution said) {
    Lookup& lookup = lookups_[host];
    lookup.failures = said.addresses.empty() ? lookup.failures + 1 : 0;
    const bool is_other = !std::exchange(lookup.is_known, true) ||
                          lookup.said.addresses != said.addresses || lookup.failures > 0;
    lookup.said = std::move(said);
    if (is_other) {
        changed_();
    }
}

KnownHosts Hostnames::known() const {
    KnownHosts hosts;
    for (const auto& [host, lookup] : lookups_) {
        if (lookup.is_known) {
            hosts.emplace(host, lookup.said.addresses);
        }
    }
    return hosts;
}

std::string Hostnames::problem(const std::string& host) const {
    const auto lookup = lookups_.find(host);
    return lookup == lookups_.end() || lookup->second.failures <= kLookupGlitches
               ? std::string()
               : lookup->second.said.problem;
}

}  // namespace runtime::controller
