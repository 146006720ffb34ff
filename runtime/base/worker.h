// Operations by key that are retried until they succeed, as with the workqueue of client-go: a key
// has one attempt at a time, and a growing delay after each failure. The owner decides what a key
// needs whenever something changes, and begins it if it may begin; `again` makes it look at a key.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "runtime/base/backoff.h"
#include "runtime/base/weakly.h"

namespace runtime::inline base {

// The delays between the attempts of a key, as in Backoff.
struct RetryPace {
    Duration first, longest;
};

template <typename Key>
class Worker {
public:
    // `again` is called with a key whose attempt has ended, once it may begin again. Calls that are
    // due after the end of the worker are left out. The loop and the source outlive it.
    Worker(Loop& loop, RandomSource& random, const RetryPace& pace,
           std::function<void(const Key&)> again)
        : loop_(loop), random_(random), pace_(pace), again_(std::move(again)) {}

    // True if no attempt is running, and no delay.
    template <typename Like>
    [[nodiscard]] bool may_begin(const Like& key) const {
        const auto known = known_.find(key);
        return known == known_.end() || known->second.may_begin(loop_.uptime());
    }
    template <typename Like>
    [[nodiscard]] bool is_busy(const Like& key) const {
        const auto known = known_.find(key);
        return known != known_.end() && known->second.is_busy;
    }
    // The number of attempts that are running.
    [[nodiscard]] std::size_t busy() const {
        return static_cast<std::size_t>(std::count_if(
            known_.begin(), known_.end(), [](const auto& known) { return known.second.is_busy; }));
    }
    // The number of consecutive failures.
    template <typename Like>
    [[nodiscard]] int failures(const Like& key) const {
        const auto known = known_.find(key);
        return known == known_.end() ? 0 : known->second.failures;
    }

    void begin(const Key& key) { known_[key].is_busy = true; }
    // Ends an attempt, and forgets the failures. The next one may begin after the pause.
    void succeed(const Key& key, Duration pause = {}) {
        known_.erase(key);
        if (pause > Duration(0)) {
            known_[key].not_before = loop_.uptime() + pause;
            return wake(key, pause);
        }
        again_(key);
    }
    void fail(const Key& key) {
        State& state = known_[key];
        if (!state.backoff) {
            state.backoff.emplace(random_, pace_.first, pace_.longest);
        }
        const Duration delay = state.backoff->next();
        state.is_busy = false;
        ++state.failures;
        state.not_before = loop_.uptime() + delay;
        wake(key, delay);
    }
    // Makes the key like a new one, also if its attempt is running. `again` is not called for that.
    void forget(const Key& key) { known_.erase(key); }

private:
    struct State {
        bool is_busy = false;
        int failures = 0;
        Duration not_before = {};  // uptime
        std::optional<Backoff> backoff = {};

        [[nodiscard]] bool may_begin(Duration now) const { return !is_busy && now >= not_before; }
    };

    void wake(const Key& key, Duration delay) {
        loop_.after(delay, lifetime_.guarded([this, key] {
            const auto known = known_.find(key);
            if (known != known_.end() && known->second.failures == 0 &&
                known->second.may_begin(loop_.uptime())) {
                known_.erase(known);
            }
            again_(key);
        }));
    }

    Loop& loop_;
    RandomSource& random_;
    RetryPace pace_;
    std::function<void(const Key&)> again_;
    std::map<Key, State, std::less<>> known_;
    Lifetime lifetime_;
};

}  // namespace runtime::inline base
