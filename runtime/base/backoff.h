// Delays between retries. The delay doubles after each failure and is reduced at random, so that
// many clients do not retry at the same moment.
#pragma once

#include <cstdint>

#include "runtime/base/loop.h"

namespace runtime::inline base {

// Random numbers from a seed (SplitMix64, Steele et al. 2014): good enough to spread load, not for
// secrets.
class RandomSource {
public:
    explicit RandomSource(std::uint64_t seed) : state_(seed) {}
    // Returns a number from 0 to `bound` - 1. `bound` must be above 0.
    std::uint64_t below(std::uint64_t bound);

private:
    std::uint64_t state_;
};

class Backoff {
public:
    Backoff(RandomSource& random, Duration first, Duration longest)
        : random_(random), first_(first), longest_(longest), next_(first) {}

    // Returns a random delay between half of the current step and the whole step.
    Duration next();
    void reset() { next_ = first_; }

private:
    RandomSource& random_;
    Duration first_, longest_, next_;
};

}  // namespace runtime::inline base
