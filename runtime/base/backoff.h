// How long to wait before trying again: twice as long after each failure, with chance in it so that
// many do not come back at once.
#pragma once

#include <cstdint>

#include "runtime/base/loop.h"

namespace runtime {

// Chance from a seed (SplitMix64, Steele et al. 2014): good enough to spread load, not for secrets.
class Chance {
public:
    explicit Chance(std::uint64_t seed) : state_(seed) {}
    // Between 0 and `bound`, which is above 0, exclusively.
    std::uint64_t below(std::uint64_t bound);

private:
    std::uint64_t state_;
};

class Backoff {
public:
    Backoff(Chance& chance, Duration first, Duration longest)
        : chance_(chance), first_(first), longest_(longest), next_(first) {}

    // Half of the step to all of it.
    Duration next();
    void reset() { next_ = first_; }

private:
    Chance& chance_;
    Duration first_, longest_, next_;
};

}  // namespace runtime
