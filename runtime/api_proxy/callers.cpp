#include "runtime/api_proxy/callers.h"

#include <fmt/format.h>

#include <utility>

namespace runtime::api_proxy {

namespace {

constexpr std::size_t kMostRemembered = 4096;
constexpr Duration kLongest = std::chrono::minutes(1);

CallerAnswer answer_of(const localapi::LocalReply& reply, const IpAddress& source) {
    if (reply.code != 200) {
        return {.is_known = reply.code == 404,
                .problem = reply.code == 404
                               ? fmt::format("the tailnet has no device with the address {}",
                                             source.text())
                               : "tailscaled does not answer: " + reply.problem};
    }
    auto caller = read_caller(reply.body, source);
    if (!caller) {
        return {.is_known = true, .problem = caller.error().diagnostic.message};
    }
    return {.caller = std::make_shared<const Caller>(std::move(*caller)), .is_known = true};
}

}  // namespace

const CallerAnswer* Callers::known(const AddressPort& source, Duration age) const {
    const auto found = entries_.find(source.address);
    // If a request is in flight, its answer will be newer than this one.
    const bool counts = found != entries_.end() && found->second.waiting.empty() &&
                        found->second.answer.caller != nullptr &&
                        loop_.uptime() - found->second.asked <= age;
    return counts ? &found->second.answer : nullptr;
}

void Callers::find(const AddressPort& source, Duration age, Done done) {
    if (const CallerAnswer* found = known(source, age)) {
        const CallerAnswer answer = *found;
        return done(answer);
    }
    Entry& entry = entries_[source.address];
    if (!entry.waiting.empty()) {
        // It was asked at most one LocalAPI timeout ago, and the answer will be newer than now.
        entry.waiting.push_back(std::move(done));
        return;
    }
    entry.asked = loop_.uptime();
    entry.waiting.push_back(std::move(done));
    const bool is_v6 = source.address.is_v6();
    api_.whois(fmt::format("{}{}{}:{}", is_v6 ? "[" : "", source.address.text(), is_v6 ? "]" : "",
                           source.port),
               lifetime_.guarded(
                   [this, source](const localapi::LocalReply& reply) { take(source, reply); }));
}

void Callers::take(const AddressPort& source, const localapi::LocalReply& reply) {
    Entry& entry = entries_[source.address];
    entry.answer = answer_of(reply, source.address);
    const CallerAnswer answer = entry.answer;
    for (const Done& done : std::exchange(entry.waiting, {})) {
        done(answer);
    }
    forget_old();
}

void Callers::forget_old() {
    if (entries_.size() > kMostRemembered) {
        std::erase_if(entries_, [&](const auto& item) {
            return item.second.waiting.empty() && loop_.uptime() - item.second.asked > kLongest;
        });
    }
}

}  // namespace runtime::api_proxy
