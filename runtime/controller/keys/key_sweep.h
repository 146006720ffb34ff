// Finds keys that no Secret has: their process ended before it could write them, or the reply was
// lost. They have the mark of this installation (ledger.h) as their description.
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

// Calls `tell`, at once or later, with the ids of all keys that are written. It is called when the
// list of keys is known; some of these may still be being written.
using Recorded = std::function<void(std::function<void(const std::set<std::string>&)> tell)>;

// Revokes the keys with this mark that are not recorded. The API outlives the sweep.
void sweep_keys(tailnet::Api& api, const std::string& mark, Recorded recorded, Next done);

// Schedules the sweeps: each tailnet is swept soon after the start, then every hour, and when one
// of its keys may have been lost. Tailnets do not wait for each other, and nothing waits for a
// sweep.
class KeySweeps {
public:
    // All references outlive it.
    KeySweeps(Loop& loop, Log& log, RandomSource& random, Tailnets& tailnets,
              const ClusterView& view, std::string mark);

    [[nodiscard]] const std::string& mark() const { return mark_; }
    // Starts the sweeps that are due. It must be called from time to time, once the view has the
    // controller's own copies.
    void run();
    // Why the last sweep of the controller's own tailnet failed; "" if it did not.
    [[nodiscard]] std::string problem() const;
    // Requests a sweep, because a key may have been minted whose id was not received.
    void request(const std::string& tailnet);

    // Called before a key is minted, and after it was written or given up.
    std::uint64_t begin_mint();
    void end_mint(std::uint64_t mint);

private:
    struct Tailnet {
        Backoff backoff;
        bool busy = false;
        Duration not_before = {};  // uptime of the next sweep; `earliest` is one, too
        Duration earliest = {};    // of a sweep that was requested
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
    // Tasks that wait for all mints before that one to end.
    std::deque<std::pair<std::uint64_t, std::function<void()>>> waiting_;
};

}  // namespace runtime::controller
