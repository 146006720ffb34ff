#include "runtime/controller/step_queue.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace runtime::controller {
namespace {

std::vector<std::string> turns(StepQueue& queue) {
    std::vector<std::string> pods;
    while (const auto turn = queue.next()) {
        pods.push_back(turn->pod);
    }
    return pods;
}

void fill(StepQueue& queue, StepLane lane, const std::string& ns, int count,
          const std::string& tailnet = {}) {
    for (int i = 0; i < count; ++i) {
        queue.push(lane, {.ns = ns, .tailnet = tailnet}, fmt::format("{}-{}", ns, i));
    }
}

TEST(StepQueue, NamespacesTakeTurns) {
    StepQueue queue;
    fill(queue, StepLane::FirstKey, "many", 1000);
    queue.push(StepLane::FirstKey, {.ns = "one", .tailnet = {}}, "one-0");
    EXPECT_EQ(queue.next()->pod, "many-0");
    EXPECT_EQ(queue.next()->pod, "one-0");
    EXPECT_EQ(queue.next()->pod, "many-1");
    EXPECT_EQ(queue.waiting(), 998U);
}

TEST(StepQueue, LimitsWhatRunsAtTheSameTime) {
    StepQueue queue;
    for (const auto lane :
         {StepLane::Prepare, StepLane::FirstKey, StepLane::Tags, StepLane::Remove}) {
        fill(queue, lane, fmt::format("lane{}", static_cast<int>(lane)), 100);
    }
    EXPECT_EQ(turns(queue).size(), 24U) << "the rest is kept for who asks for a key";
    fill(queue, StepLane::Reissue, "asks", 10);
    EXPECT_EQ(turns(queue), (std::vector<std::string>{"asks-0", "asks-1", "asks-2", "asks-3"}));
    queue.end({.pod = {}, .lane = StepLane::Tags, .tailnet = {}});
    EXPECT_EQ(turns(queue), std::vector<std::string>{"asks-4"});
}

TEST(StepQueue, ALaneHasItsShare) {
    StepQueue queue;
    fill(queue, StepLane::Remove, "gone", 100);
    EXPECT_EQ(turns(queue).size(), 8U);
    fill(queue, StepLane::Tags, "tags", 100);
    EXPECT_EQ(turns(queue).size(), 4U);
    queue.end({.pod = {}, .lane = StepLane::Remove, .tailnet = {}});
    EXPECT_EQ(turns(queue), std::vector<std::string>{"gone-8"});
}

TEST(StepQueue, LanesTakeTurns) {
    StepQueue queue;
    fill(queue, StepLane::Prepare, "new", 1000);
    fill(queue, StepLane::Remove, "gone", 1000);
    int removals = 0;
    for (int i = 0; i < 100; ++i) {
        const auto turn = queue.next();
        removals += turn->lane == StepLane::Remove ? 1 : 0;
        queue.end(*turn);
    }
    EXPECT_EQ(removals, 50);
}

// A tailnet that does not answer occupies its share for a minute.
TEST(StepQueue, ATailnetHasItsShare) {
    StepQueue queue;
    for (const char* tailnet : {"dead", "late", "deaf"}) {
        fill(queue, StepLane::FirstKey, tailnet, 100, tailnet);
        fill(queue, StepLane::Reissue, fmt::format("{}-asks", tailnet), 100, tailnet);
    }
    std::map<std::string, int> running;
    while (const auto turn = queue.next()) {
        ++running[turn->tailnet];
    }
    EXPECT_EQ(running["dead"] + running["late"] + running["deaf"], kOtherTailnetsAtOnce);
    for (const auto& [tailnet, count] : running) {
        EXPECT_LE(count, kTailnetAtOnce) << tailnet;
    }
    fill(queue, StepLane::Reissue, "asks", 100);
    EXPECT_EQ(turns(queue).size(), static_cast<std::size_t>(kStepsAtOnce - kOtherTailnetsAtOnce));
    StepQueue other;
    fill(other, StepLane::Reissue, "asks", 100);
    fill(other, StepLane::FirstKey, "own", 100);
    EXPECT_EQ(turns(other).size(), static_cast<std::size_t>(kOwnTailnetAtOnce));
    fill(other, StepLane::Reissue, "dead", 100, "dead");
    EXPECT_EQ(turns(other).size(), static_cast<std::size_t>(kStepsAtOnce - kOwnTailnetAtOnce));
    other.end({.pod = {}, .lane = StepLane::Reissue, .tailnet = "dead"});
    EXPECT_EQ(turns(other), std::vector<std::string>{"dead-4"});
}

TEST(StepQueue, AReplicaIsInOneLane) {
    StepQueue queue;
    queue.push(StepLane::Prepare, {.ns = "ns", .tailnet = {}}, "a");
    queue.push(StepLane::Prepare, {.ns = "ns", .tailnet = {}}, "a");
    queue.push(StepLane::Reissue, {.ns = "ns", .tailnet = {}}, "a");
    EXPECT_EQ(queue.waiting(), 1U);
    EXPECT_EQ(turns(queue), std::vector<std::string>{"a"});
    queue.push(StepLane::Tags, {.ns = "ns", .tailnet = {}}, "b");
    queue.drop("b");
    EXPECT_EQ(turns(queue), std::vector<std::string>());
}

}  // namespace
}  // namespace runtime::controller
