// Finds keys that no one has: minted by a process that ended before it could write them down, or
// whose answer got lost on the way. They carry the mark of this installation (ledger.h) as their
// description.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/backoff.h"
#include "runtime/base/jobs.h"
#include "runtime/controller/keys/tailnets.h"
#include "runtime/controller/view/cluster_view.h"
#include "runtime/tailnet/api.h"

namespace runtime::controller {

// Tells, at once or later, the ids of all keys that are written down. Asked when the list of keys
// is there, of which some may be on their way to be written down.
using Recorded = std::function<void(std::function<void(const std::set<std::string>&)> tell)>;

// Revokes the keys with this mark that are not recorded. The API outlives the sweep.
void sweep_keys(tailnet::Api& api, const std::string& mark, Recorded recorded, Next done);

// When to sweep: each tailnet soon after the start, then every hour, and when a key of it may have
// been lost. One tailnet does not wait for another, and nothing else waits for a sweep.
class KeySweeps {
public:
    // All references outlive it.
    KeySweeps(Loop& loop, Log& log, RandomSource& random, Tailnets& tailnets,
              const ClusterView& view, std::string mark);

    [[nodiscard]] const std::string& mark() const { return mark_; }
    // Begins what is due. To be called now and then, once the view has our own copies.
    void run();
    // Why the last sweep of the controller's own tailnet failed; "": it did not.
    [[nodiscard]] std::string problem() const;
    // A key may have been minted whose id never reached us.
    void wish(const std::string& tailnet);

    // From before a key is minted until it is written down, or given up.
    std::uint64_t begin_mint();
    void end_mint(std::uint64_t mint);

private:
    struct Tailnet {
        Backoff backoff;
        bool busy = false;
        Duration not_before = {};  // an uptime, of the next sweep, as the next two
        Duration earliest = {};    // if it is wished for
        bool was_swept = false;
        std::string problem = {};  // the last one
    };

    Tailnet& at(const std::string& tailnet);
    void sweep(const std::string& name);
    void finish(const std::string& name, const std::string& problem);
    void release();
    void tell_recorded(const std::function<void(const std::set<std::string>&)>& tell) const;

    Loop& loop_;
    Log& log_;
    RandomSource& random_;
    Tailnets& tailnets_;
    const ClusterView& view_;
    std::string mark_;
    std::map<std::string, Tailnet> known_;
    std::uint64_t next_mint_ = 0;
    std::set<std::uint64_t> mints_;  // under way
    // What waits for all mints before that one to end.
    std::deque<std::pair<std::uint64_t, std::function<void()>>> waiting_;
};

}  // namespace runtime::controller
