// How long to wait before trying again: twice as long after each failure, and at random less, so
// that many do not come back at once.
#pragma once

#include <cstdint>

#include "runtime/base/loop.h"

namespace runtime {

// Random numbers from a seed (SplitMix64, Steele et al. 2014): good enough to spread load, not for
// secrets.
class RandomSource {
public:
    explicit RandomSource(std::uint64_t seed) : state_(seed) {}
    // Between 0 and `bound`, which is above 0, exclusively.
    std::uint64_t below(std::uint64_t bound);

private:
    std::uint64_t state_;
};

class Backoff {
public:
    Backoff(RandomSource& random, Duration first, Duration longest)
        : random_(random), first_(first), longest_(longest), next_(first) {}

    // Half of the step to all of it.
    Duration next();
    void reset() { next_ = first_; }

private:
    RandomSource& random_;
    Duration first_, longest_, next_;
};

}  // namespace runtime
