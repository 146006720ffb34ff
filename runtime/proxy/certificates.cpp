#include "runtime/proxy/certificates.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace runtime::proxy {

namespace {

constexpr Duration kCheck = std::chrono::hours(24);
constexpr Duration kRetries[] = {std::chrono::minutes(1), std::chrono::minutes(10),
                                 std::chrono::minutes(100), std::chrono::hours(24)};

}  // namespace

Duration certificate_retry(int failures) {
    const int last = static_cast<int>(std::size(kRetries)) - 1;
    return kRetries[std::clamp(failures - 1, 0, last)];
}

Certificates::~Certificates() {
    for (const auto& [name, domain] : domains_) {
        loop_.cancel(domain.timer);
    }
}

void Certificates::allow(const std::vector<std::string>& domains) {
    allowed_ = {domains.begin(), domains.end()};
    start_waiting();
}

void Certificates::keep(const std::vector<std::string>& domains) {
    std::erase_if(domains_, [&](const auto& known) {
        const bool is_gone =
            std::find(domains.begin(), domains.end(), known.first) == domains.end();
        if (is_gone) {
            loop_.cancel(known.second.timer);
        }
        return is_gone;
    });
    for (const std::string& name : domains) {
        domains_.try_emplace(name);
    }
    start_waiting();
}

void Certificates::start_waiting() {
    for (const auto& [name, domain] : domains_) {
        if (domain.timer == 0 && !domain.is_asking && allowed_.contains(name)) {
            ask(std::string(name));
        }
    }
}

void Certificates::ask(const std::string& name) {
    Domain& domain = domains_.at(name);
    domain.timer = 0;
    domain.is_asking = true;
    api_.cert(name, lifetime_.guarded(
                        [this, name](const localapi::LocalReply& reply) { take(name, reply); }));
}

void Certificates::take(const std::string& name, const localapi::LocalReply& reply) {
    const auto found = domains_.find(name);
    if (found == domains_.end() || !found->second.is_asking) {
        return;  // not wanted any more
    }
    Domain& domain = found->second;
    domain.is_asking = false;
    Duration next = kCheck;
    if (reply.ok()) {
        domain.failures = 0;
    } else if (reply.code == 0) {  // tailscaled was not reached, so no CA was asked
        next = certificate_retry(1);
    } else {
        ++domain.failures;
        next = reply.retry_after && reply.retry_after->count() > 0
                   ? Duration(*reply.retry_after)
                   : certificate_retry(domain.failures);
    }
    if (!reply.ok()) {
        log_.error(
            fmt::format("Error refreshing certificate for {} (retry {}): {}. Will retry in "
                        "{} s",
                        name, domain.failures, reply.problem,
                        std::chrono::duration_cast<std::chrono::seconds>(next).count()));
    }
    domain.timer = loop_.after(next, [this, name] { ask(name); });
}

}  // namespace runtime::proxy
