// Limits the steps of a replica: a few at once, and then one from time to time, whatever its pod
// reports, and whether they succeed or fail.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "runtime/base/loop.h"

namespace runtime::controller {

// The limit for keys, and for requests to the tailnet that the pod causes: a proxy that has lost
// its state or its device needs one.
inline constexpr int kAskedAtOnce = 3;
inline constexpr Duration kAskedPause = std::chrono::minutes(1);
// The limit for all steps: decide() returns at most twelve in a row (decide_space_test).
inline constexpr int kReplicaStepsAtOnce = 20;
inline constexpr Duration kReplicaStepPause = std::chrono::seconds(5);

// Times are uptimes.
class StepLimit {
public:
    StepLimit(int at_once, Duration pause) : pause_(pause), ahead_((at_once - 1) * pause) {}

    [[nodiscard]] bool may_begin(std::string_view pod, Duration now) const {
        const auto known = full_at_.find(pod);
        return known == full_at_.end() || known->second - now <= ahead_;
    }
    void count(const std::string& pod, Duration now) {
        Duration& full_at = full_at_[pod];
        full_at = std::max(full_at, now) + pause_;
    }
    // Forgets the pods that have their whole limit again.
    void forget(Duration now) {
        std::erase_if(full_at_, [now](const auto& entry) { return entry.second <= now; });
    }

private:
    Duration pause_, ahead_;
    std::map<std::string, Duration, std::less<>> full_at_;  // by pod: when it has all of it again
};

// The limits of all replicas.
struct ReplicaLimits {
    StepLimit steps{kReplicaStepsAtOnce, kReplicaStepPause};
    StepLimit mints{kAskedAtOnce, kAskedPause};
    StepLimit looks{kAskedAtOnce, kAskedPause};

    void forget(Duration now) {
        for (StepLimit* limit : {&steps, &mints, &looks}) {
            limit->forget(now);
        }
    }
};

}  // namespace runtime::controller
