// A token bucket: allows a burst, then one token per interval.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>

#include "runtime/base/loop.h"

namespace runtime::inline base {

// Times are uptimes. The bucket starts full.
class TokenBucket {
public:
    TokenBucket(int burst, Duration each, Duration now)
        : full_(burst * each), each_(each), credit_(full_), at_(now) {}

    [[nodiscard]] bool has_one(Duration now) const { return credit(now) >= each_; }
    // Takes one token. Returns false if there is none.
    bool take(Duration now) {
        const bool may = has_one(now);
        set_credit(credit(now) - (may ? each_ : Duration(0)), now);
        return may;
    }
    [[nodiscard]] Duration next_in(Duration now) const {
        return std::max(each_ - credit(now), Duration(0));
    }
    // How long until the bucket is full. 0 if it is full.
    [[nodiscard]] Duration fills_in(Duration now) const { return full_ - credit(now); }
    // Empties the bucket, and adds no tokens for this long.
    void close(Duration delay, Duration now) { set_credit(std::min(credit(now), -delay), now); }
    // For how long no tokens are added.
    [[nodiscard]] Duration closed_for(Duration now) const {
        return std::max(-credit(now), Duration(0));
    }

private:
    [[nodiscard]] Duration credit(Duration now) const {
        return std::min(full_, credit_ + (now - at_));
    }
    void set_credit(Duration credit, Duration now) {
        credit_ = credit;
        at_ = now;
    }

    Duration full_, each_;
    Duration credit_;  // time that tokens are made of; below 0: closed
    Duration at_;
};

// A token bucket for each key. Full buckets are not kept in memory. There are at most `most`
// others: when a new one is needed, the fullest is dropped.
class TokenBuckets {
public:
    TokenBuckets(int burst, Duration each, std::size_t most)
        : burst_(burst), each_(each), most_(most) {}

    bool take(const std::string& key, Duration now) { return of(key, now).take(now); }
    // Takes a token if there is one. Returns how long it is until the next.
    Duration spend(const std::string& key, Duration now) {
        TokenBucket& bucket = of(key, now);
        bucket.take(now);
        return bucket.next_in(now);
    }

private:
    TokenBucket& of(const std::string& key, Duration now) {
        std::erase_if(buckets_, [now](const auto& entry) {
            return entry.second.fills_in(now) == Duration(0);
        });
        if (!buckets_.contains(key) && buckets_.size() >= most_) {
            buckets_.erase(std::min_element(
                buckets_.begin(), buckets_.end(), [now](const auto& a, const auto& b) {
                    return a.second.fills_in(now) < b.second.fills_in(now);
                }));
        }
        return buckets_.try_emplace(key, burst_, each_, now).first->second;
    }

    int burst_;
    Duration each_;
    std::size_t most_;
    std::map<std::string, TokenBucket> buckets_;
};

}  // namespace runtime::inline base
