// How many keys a replica gets: a few at once, and then one a minute, whatever its pod says. A
// proxy that has lost its state or its device needs one.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "runtime/base/loop.h"

namespace runtime {

inline constexpr int kAskedAtOnce = 3;
inline constexpr Duration kAskedPause = std::chrono::minutes(1);

// Times are uptimes.
class StepLimit {
public:
    [[nodiscard]] bool may_begin(std::string_view pod, Duration now) const {
        const auto known = full_at_.find(pod);
        return known == full_at_.end() || known->second - now <= (kAskedAtOnce - 1) * kAskedPause;
    }
    void count(const std::string& pod, Duration now) {
        Duration& full_at = full_at_[pod];
        full_at = std::max(full_at, now) + kAskedPause;
    }
    // Of those who may have as many as anyone.
    void forget(Duration now) {
        std::erase_if(full_at_, [now](const auto& entry) { return entry.second <= now; });
    }

private:
    std::map<std::string, Duration, std::less<>> full_at_;  // by pod, when it may have all again
};

}  // namespace runtime
