#include "runtime/base/backoff.h"

#include <algorithm>

namespace runtime::inline base {

std::uint64_t RandomSource::below(std::uint64_t bound) {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return (mixed ^ (mixed >> 31U)) % bound;
}

Duration Backoff::next() {
    const Duration step = next_;
    next_ = std::min(next_ * 2, longest_);
    const auto half = step.count() / 2;
    return Duration(half + static_cast<Duration::rep>(
                               random_.below(static_cast<std::uint64_t>(step.count() - half) + 1)));
}

}  // namespace runtime::inline base
