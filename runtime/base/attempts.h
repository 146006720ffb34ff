// One thing that is tried until it succeeds: once at a time, and later after each failure.
#pragma once

#include <memory>

#include "runtime/base/backoff.h"

namespace runtime {

// Times are uptimes. Begins with nothing under way and nothing to wait for.
class Attempts {
public:
    [[nodiscard]] bool busy() const { return busy_; }
    [[nodiscard]] bool may_begin(Duration now) const { return !busy_ && now >= not_before_; }
    // Nothing of it needs to be remembered.
    [[nodiscard]] bool is_as_new(Duration now) const { return may_begin(now) && failures_ == 0; }
    // Failures, one after the other.
    [[nodiscard]] int failures() const { return failures_; }

    void begin() { busy_ = true; }
    void succeed(Duration not_before = {});
    // Returns how long to wait: `first` and `longest` are those of Backoff.
    Duration fail(RandomSource& random, Duration first, Duration longest, Duration now);

private:
    bool busy_ = false;
    int failures_ = 0;
    Duration not_before_ = {};
    std::unique_ptr<Backoff> backoff_;
};

}  // namespace runtime
