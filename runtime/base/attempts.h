// The state of an operation that is retried until it succeeds: one attempt at a time, with a
// growing delay after each failure.
#pragma once

#include <memory>

#include "runtime/base/backoff.h"

namespace runtime::inline base {

// Times are uptimes. At first no attempt is running, and the first one may begin at once.
class Attempts {
public:
    [[nodiscard]] bool busy() const { return busy_; }
    [[nodiscard]] bool may_begin(Duration now) const { return !busy_ && now >= not_before_; }
    // True if it behaves like a new one, so that it may be discarded.
    [[nodiscard]] bool is_as_new(Duration now) const { return may_begin(now) && failures_ == 0; }
    // The number of consecutive failures.
    [[nodiscard]] int failures() const { return failures_; }

    void begin() { busy_ = true; }
    void succeed(Duration not_before = {});
    // Returns the delay before the next attempt. `first` and `longest` are as in Backoff.
    Duration fail(RandomSource& random, Duration first, Duration longest, Duration now);

private:
    bool busy_ = false;
    int failures_ = 0;
    Duration not_before_ = {};
    std::unique_ptr<Backoff> backoff_;
};

}  // namespace runtime::inline base
