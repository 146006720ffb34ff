#include "runtime/base/token_bucket.h"

#include <gtest/gtest.h>

namespace runtime {
namespace {

constexpr Duration kSecond = std::chrono::seconds(1);

int taken(TokenBucket& bucket, Duration now) {
    int count = 0;
    while (bucket.take(now)) {
        ++count;
    }
    return count;
}

TEST(TokenBucket, GivesABurstAndThenOneAtATime) {
    TokenBucket bucket(5, kSecond, kSecond);
    EXPECT_EQ(taken(bucket, kSecond), 5);
    EXPECT_EQ(taken(bucket, Duration(1999)), 0);
    EXPECT_EQ(taken(bucket, 2 * kSecond), 1);
    EXPECT_EQ(taken(bucket, 4 * kSecond), 2);
    EXPECT_EQ(bucket.fills_in(8 * kSecond), kSecond);
    EXPECT_EQ(bucket.fills_in(10 * kSecond), Duration(0));
    EXPECT_EQ(taken(bucket, 100 * kSecond), 5) << "no more than the burst";
}

TEST(TokenBucket, IsEmptyWhenItOpensAgain) {
    TokenBucket bucket(5, kSecond, {});
    bucket.close(3 * kSecond, {});
    EXPECT_EQ(bucket.closed_for(kSecond), 2 * kSecond);
    bucket.close(kSecond, kSecond);
    EXPECT_EQ(bucket.closed_for(kSecond), 2 * kSecond) << "the longer delay counts";
    EXPECT_EQ(bucket.closed_for(3 * kSecond), Duration(0));
    EXPECT_EQ(taken(bucket, 3 * kSecond), 0);
    EXPECT_EQ(taken(bucket, 4 * kSecond), 1);
}

TEST(TokenBuckets, EachHasItsOwn) {
    TokenBuckets buckets(2, kSecond, 2);
    EXPECT_TRUE(buckets.take("a", {}));
    EXPECT_TRUE(buckets.take("a", {}));
    EXPECT_FALSE(buckets.take("a", {}));
    EXPECT_TRUE(buckets.take("b", {}));
    EXPECT_TRUE(buckets.take("a", kSecond));
}

TEST(TokenBuckets, SayWhenThereIsAnother) {
    TokenBuckets buckets(2, kSecond, 2);
    EXPECT_EQ(buckets.spend("a", {}), Duration(0));
    EXPECT_EQ(buckets.spend("a", {}), kSecond);
    EXPECT_EQ(buckets.spend("a", kSecond / 4), 3 * kSecond / 4);
    EXPECT_EQ(buckets.spend("b", kSecond / 4), Duration(0));
}

TEST(TokenBuckets, TheFullestGivesWay) {
    TokenBuckets buckets(2, kSecond, 2);
    for (const char* key : {"a", "a", "b", "c", "d", "e"}) {
        EXPECT_TRUE(buckets.take(key, {}));
    }
    EXPECT_FALSE(buckets.take("a", {}));
}

}  // namespace
}  // namespace runtime
