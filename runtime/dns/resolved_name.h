// Keeps the addresses of one name up to date. Both families are looked up again when the TTL is
// over (schedule.h). On failure the last addresses are kept.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/backoff.h"
#include "runtime/base/log.h"
#include "runtime/base/loop.h"
#include "runtime/base/weakly.h"
#include "runtime/dns/lookup.h"
#include "runtime/dns/schedule.h"

namespace runtime::dns {

class ResolvedName {
public:
    // `changed` gets all addresses, sorted and unique, when they are first known and whenever they
    // change. `cluster_domain`, such as "cluster.local", tells which names are in the cluster; it
    // may be empty. The references must outlive the name.
    ResolvedName(Loop& loop, Log& log, RandomSource& random, Lookup& lookup, std::string name,
                 std::string_view cluster_domain,
                 std::function<void(const std::vector<IpAddress>&)> changed);
    ~ResolvedName();
    ResolvedName(const ResolvedName&) = delete;
    ResolvedName& operator=(const ResolvedName&) = delete;

    [[nodiscard]] std::vector<IpAddress> addresses() const { return set_.addresses(); }
    // Why the last lookup failed; empty if it succeeded.
    [[nodiscard]] const std::string& problem() const { return problem_; }

private:
    void ask();
    void take();

    Loop& loop_;
    Log& log_;
    RandomSource& random_;
    Lookup& lookup_;
    std::string name_;
    bool in_cluster_;
    std::function<void(const std::vector<IpAddress>&)> changed_;
    Backoff backoff_;
    AddressSet set_;
    std::string problem_;
    std::optional<Answer> v4_, v6_;
    TimerId timer_ = 0;
    Lifetime lifetime_;
};

}  // namespace runtime::dns
