#include "runtime/base/worker.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "runtime/testing/fake_loop.h"

namespace runtime::inline base {
namespace {

using std::chrono::seconds;

class WorkerTest : public testing::Test {
protected:
    FakeLoop loop_;
    RandomSource random_{1};
    std::vector<std::string> again_;
    Worker<std::string> worker_{loop_,
                                random_,
                                {.first = seconds(1), .longest = seconds(5)},
                                [this](const std::string& key) { again_.push_back(key); }};
};

TEST_F(WorkerTest, HasOneAttemptOfAKeyAtATime) {
    EXPECT_TRUE(worker_.may_begin("web"));
    worker_.begin("web");
    EXPECT_FALSE(worker_.may_begin("web"));
    EXPECT_TRUE(worker_.is_busy("web"));
    EXPECT_TRUE(worker_.may_begin("db"));
    worker_.begin("db");
    EXPECT_EQ(worker_.busy(), 2U);
    loop_.run_for(seconds(100));
    EXPECT_FALSE(worker_.may_begin("web"));
    EXPECT_TRUE(again_.empty());
}

TEST_F(WorkerTest, LooksAgainAfterASuccess) {
    worker_.begin("web");
    worker_.succeed("web");
    EXPECT_TRUE(worker_.may_begin("web"));
    EXPECT_EQ(again_, std::vector<std::string>{"web"});
}

TEST_F(WorkerTest, WaitsTwiceAsLongAfterEachFailure) {
    for (const Duration longest : std::initializer_list<Duration>{
             seconds(1), seconds(2), seconds(4), seconds(5), seconds(5)}) {
        worker_.begin("web");
        worker_.fail("web");
        EXPECT_FALSE(worker_.may_begin("web"));
        EXPECT_TRUE(worker_.may_begin("db"));
        loop_.run_for(longest / 2 - Duration(1));
        EXPECT_TRUE(again_.empty());
        loop_.run_for(longest / 2 + Duration(1));
        EXPECT_EQ(again_, std::vector<std::string>{"web"});
        EXPECT_TRUE(worker_.may_begin("web"));
        again_.clear();
    }
    EXPECT_EQ(worker_.failures("web"), 5);
    EXPECT_EQ(worker_.failures("db"), 0);
}

TEST_F(WorkerTest, ForgetsFailuresWithASuccess) {
    worker_.fail("web");
    worker_.fail("web");
    worker_.succeed("web", seconds(10));
    again_.clear();
    EXPECT_EQ(worker_.failures("web"), 0);
    loop_.run_for(seconds(9));
    EXPECT_FALSE(worker_.may_begin("web"));
    loop_.run_for(seconds(1));
    EXPECT_TRUE(worker_.may_begin("web"));
    EXPECT_EQ(again_.back(), "web");
    again_.clear();
    worker_.fail("web");
    loop_.run_for(seconds(1));
    EXPECT_EQ(again_.size(), 1U);
}

TEST_F(WorkerTest, ForgetsAKey) {
    worker_.begin("web");
    worker_.fail("web");
    worker_.forget("web");
    EXPECT_TRUE(worker_.may_begin("web"));
    EXPECT_EQ(worker_.failures("web"), 0);
    worker_.begin("web");
    worker_.forget("web");
    EXPECT_FALSE(worker_.is_busy("web"));
}

TEST_F(WorkerTest, CallsNothingAfterItsEnd) {
    int calls = 0;
    std::optional<Worker<int>> worker;
    worker.emplace(loop_, random_, RetryPace{.first = seconds(1), .longest = seconds(5)},
                   [&calls](int) { ++calls; });
    worker->fail(7);
    worker.reset();
    loop_.run_for(seconds(10));
    EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace runtime::inline base
