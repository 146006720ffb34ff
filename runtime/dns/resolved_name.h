// Follows the addresses of one name: both families, asked for again by TTL (schedule.h), the last
// good ones kept on failure.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/backoff.h"
#include "runtime/base/log.h"
#include "runtime/base/loop.h"
#include "runtime/dns/lookup.h"
#include "runtime/dns/schedule.h"

namespace runtime::dns {

class ResolvedName {
public:
    // `changed` gets all addresses, sorted, each once: when they are first known and whenever they
    // differ. `cluster_domain`, such as "cluster.local", says which names are the cluster's own; it
    // may be empty. Loop, log, chance and lookup outlive the name.
    ResolvedName(Loop& loop, Log& log, RandomSource& random, Lookup& lookup, std::string name,
                 std::string_view cluster_domain,
                 std::function<void(const std::vector<IpAddress>&)> changed);
    ~ResolvedName();
    ResolvedName(const ResolvedName&) = delete;
    ResolvedName& operator=(const ResolvedName&) = delete;

    // Asks now instead of when the TTL says.
    void refresh();
    [[nodiscard]] std::vector<IpAddress> addresses() const { return set_.addresses(); }
    // Why the last lookup failed; empty if it did not.
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
    bool asking_ = false;
    TimerId timer_ = 0;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace runtime::dns
