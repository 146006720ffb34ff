#include "runtime/base/attempts.h"

namespace runtime::inline base {

void Attempts::succeed(Duration not_before) {
    busy_ = false;
    failures_ = 0;
    not_before_ = not_before;
    backoff_.reset();
}

Duration Attempts::fail(RandomSource& random, Duration first, Duration longest, Duration now) {
    if (backoff_ == nullptr) {
        backoff_ = std::make_unique<Backoff>(random, first, longest);
    }
    const Duration delay = backoff_->next();
    busy_ = false;
    ++failures_;
    not_before_ = now + delay;
    return delay;
}

}  // namespace runtime::inline base
