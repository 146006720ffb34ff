// Which replicas exist and which are to be removed, and whether the removal guard allows that.
#pragma once

#include <string>

#include "runtime/controller/records/removal_guard.h"
#include "runtime/controller/view/changes.h"
#include "runtime/controller/view/population.h"
#include "runtime/controller/view/replicas.h"

namespace runtime::controller {

class ReplicaRemovals {
public:
    // All references outlive it.
    ReplicaRemovals(const Loop& loop, Ledger& ledger, Log& log);

    // Looks at the replicas that have changed, then asks the guard.
    void see(const Changes& due, Replicas& replicas, kube::Events& events);
    // True if the replica has been unwanted for that long, by this process's clock too, and the
    // guard allows its removal.
    bool may_remove(const std::string& pod, Duration delay);
    // Records the removals that `may_remove` was asked for (RemovalGuard).
    void write_down() { guard_.write_down(); }
    [[nodiscard]] bool is_blocked() const { return guard_.is_blocked(); }

private:
    void count(const Changes& due, Replicas& replicas);

    const Loop& loop_;
    Ledger& ledger_;
    RemovalGuard guard_;
    Population population_;
};

}  // namespace runtime::controller
