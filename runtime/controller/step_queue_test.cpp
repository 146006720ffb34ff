#include "runtime/controller/step_queue.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

namespace runtime {
namespace {

std::vector<std::string> turns(StepQueue& queue) {
    std::vector<std::string> pods;
    while (const auto turn = queue.next()) {
        pods.push_back(turn->pod);
    }
    return pods;
}

void fill(StepQueue& queue, StepLane lane, std::string_view ns, int count) {
    for (int i = 0; i < count; ++i) {
        queue.push(lane, ns, fmt::format("{}-{}", ns, i));
    }
}

TEST(StepQueue, NamespacesTakeTurns) {
    StepQueue queue;
    fill(queue, StepLane::FirstKey, "many", 1000);
    queue.push(StepLane::FirstKey, "one", "one-0");
    EXPECT_EQ(queue.next()->pod, "many-0");
    EXPECT_EQ(queue.next()->pod, "one-0");
    EXPECT_EQ(queue.next()->pod, "many-1");
    EXPECT_EQ(queue.waiting(), 998U);
}

TEST(StepQueue, NoMoreAtOnceThanThereIsRoomFor) {
    StepQueue queue;
    for (const auto lane :
         {StepLane::Prepare, StepLane::FirstKey, StepLane::Tags, StepLane::Remove}) {
        fill(queue, lane, fmt::format("lane{}", static_cast<int>(lane)), 100);
    }
    EXPECT_EQ(turns(queue).size(), 28U) << "the rest is kept for who asks for a key";
    fill(queue, StepLane::Reissue, "asks", 10);
    EXPECT_EQ(turns(queue), (std::vector<std::string>{"asks-0", "asks-1", "asks-2", "asks-3"}));
    queue.end(StepLane::Tags);
    EXPECT_EQ(turns(queue), std::vector<std::string>{"asks-4"});
}

TEST(StepQueue, ALaneHasItsShare) {
    StepQueue queue;
    fill(queue, StepLane::Remove, "gone", 100);
    EXPECT_EQ(turns(queue).size(), 8U);
    fill(queue, StepLane::Tags, "tags", 100);
    EXPECT_EQ(turns(queue).size(), 4U);
    queue.end(StepLane::Remove);
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
        queue.end(turn->lane);
    }
    EXPECT_EQ(removals, 50);
}

TEST(StepQueue, OneStandsInOneLane) {
    StepQueue queue;
    queue.push(StepLane::Prepare, "ns", "a");
    queue.push(StepLane::Prepare, "ns", "a");
    queue.push(StepLane::Reissue, "ns", "a");
    EXPECT_EQ(queue.waiting(), 1U);
    EXPECT_EQ(turns(queue), std::vector<std::string>{"a"});
    queue.push(StepLane::Tags, "ns", "b");
    queue.drop("b");
    EXPECT_EQ(turns(queue), std::vector<std::string>());
}

}  // namespace
}  // namespace runtime
