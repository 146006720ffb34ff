#include "runtime/base/attempts.h"

#include <gtest/gtest.h>

namespace runtime::inline base {
namespace {

using std::chrono::seconds;

TEST(Attempts, AreOneAtATime) {
    Attempts attempts;
    EXPECT_TRUE(attempts.may_begin(Duration(0)));
    attempts.begin();
    EXPECT_TRUE(attempts.busy());
    EXPECT_FALSE(attempts.may_begin(seconds(100)));
    attempts.succeed();
    EXPECT_TRUE(attempts.is_as_new(Duration(0)));
}

TEST(Attempts, WaitTwiceAsLongAfterEachFailure) {
    RandomSource random(1);
    Attempts attempts;
    Duration now = {};
    for (const auto longest : {seconds(1), seconds(2), seconds(4), seconds(5), seconds(5)}) {
        attempts.begin();
        const Duration delay = attempts.fail(random, seconds(1), seconds(5), now);
        EXPECT_GE(delay, longest / 2);
        EXPECT_LE(delay, longest);
        EXPECT_FALSE(attempts.may_begin(now + delay - Duration(1)));
        now += delay;
        EXPECT_TRUE(attempts.may_begin(now));
        EXPECT_FALSE(attempts.is_as_new(now));
    }
    EXPECT_EQ(attempts.failures(), 5);
}

TEST(Attempts, ForgetFailuresWithASuccess) {
    RandomSource random(1);
    Attempts attempts;
    attempts.fail(random, seconds(1), seconds(60), Duration(0));
    attempts.fail(random, seconds(1), seconds(60), Duration(0));
    attempts.succeed(seconds(10));
    EXPECT_EQ(attempts.failures(), 0);
    EXPECT_FALSE(attempts.may_begin(seconds(9)));
    EXPECT_TRUE(attempts.is_as_new(seconds(10)));
    EXPECT_LE(attempts.fail(random, seconds(1), seconds(60), Duration(0)), seconds(1));
}

}  // namespace
}  // namespace runtime::inline base
