#include "runtime/base/token_bucket.h"

#include <gtest/gtest.h>

namespace runtime::inline base {
namespace {

constexpr Duration kRefill = std::chrono::seconds(1);

int taken(TokenBucket& bucket, Duration now) {
    int count = 0;
    while (bucket.take(now)) {
        ++count;
    }
    return count;
}

TEST(TokenBucket, GivesABurstAndThenOneAtATime) {
    TokenBucket bucket(5, kRefill, kRefill);
    EXPECT_EQ(taken(bucket, kRefill), 5);
    EXPECT_EQ(taken(bucket, Duration(1999)), 0);
    EXPECT_EQ(taken(bucket, 2 * kRefill), 1);
    EXPECT_EQ(taken(bucket, 4 * kRefill), 2);
    EXPECT_EQ(bucket.fills_in(8 * kRefill), kRefill);
    EXPECT_EQ(bucket.fills_in(10 * kRefill), Duration(0));
    EXPECT_EQ(taken(bucket, 100 * kRefill), 5) << "no more than the burst";
}

TEST(TokenBucket, IsEmptyWhenItOpensAgain) {
    TokenBucket bucket(5, kRefill, {});
    bucket.close(3 * kRefill, {});
    EXPECT_EQ(bucket.closed_for(kRefill), 2 * kRefill);
    bucket.close(kRefill, kRefill);
    EXPECT_EQ(bucket.closed_for(kRefill), 2 * kRefill) << "the longer delay counts";
    EXPECT_EQ(bucket.closed_for(3 * kRefill), Duration(0));
    EXPECT_EQ(taken(bucket, 3 * kRefill), 0);
    EXPECT_EQ(taken(bucket, 4 * kRefill), 1);
}

TEST(TokenBuckets, EachHasItsOwn) {
    TokenBuckets buckets(2, kRefill, 2);
    EXPECT_TRUE(buckets.take("a", {}));
    EXPECT_TRUE(buckets.take("a", {}));
    EXPECT_FALSE(buckets.take("a", {}));
    EXPECT_TRUE(buckets.take("b", {}));
    EXPECT_TRUE(buckets.take("a", kRefill));
}

TEST(TokenBuckets, SayWhenThereIsAnother) {
    TokenBuckets buckets(2, kRefill, 2);
    EXPECT_EQ(buckets.spend("a", {}), Duration(0));
    EXPECT_EQ(buckets.spend("a", {}), kRefill);
    EXPECT_EQ(buckets.spend("a", kRefill / 4), 3 * kRefill / 4);
    EXPECT_EQ(buckets.spend("b", kRefill / 4), Duration(0));
}

TEST(TokenBuckets, TheFullestGivesWay) {
    TokenBuckets buckets(2, kRefill, 2);
    for (const char* key : {"a", "a", "b", "c", "d", "e"}) {
        EXPECT_TRUE(buckets.take(key, {}));
    }
    EXPECT_FALSE(buckets.take("a", {}));
}

}  // namespace
}  // namespace runtime::inline base
