#include <gtest/gtest.h>

#include "renderer/core/text_of.h"
#include "runtime/operate/adopt_record.h"
#include "runtime/testing/adopt_run.h"

namespace runtime {
namespace {

using renderer::text_of;
using renderer::Value;

TEST(Rollback, GoesBackToWhereItCameFrom) {
    World world;
    world.start_controller();
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    ASSERT_EQ(run_to_end(world, roll_back), "");
    EXPECT_EQ(world.cluster.doubles, 0);
    EXPECT_TRUE(world.tailnet.keys.empty());
    EXPECT_EQ(world.tailnet.devices.size(), static_cast<std::size_t>(world.proxies));
    for (int i = 0; i < world.proxies; ++i) {
        SCOPED_TRACE(old_set(i));
        EXPECT_EQ(world.kube.datum(World::secret(old_set(i) + "-0"), "device_id"),
                  "nOLD-" + parent(i));
        EXPECT_EQ(world.kube.datum(World::secret(old_set(i) + "-0"), "cap-107.hujson"), "{}");
        EXPECT_EQ(world.externally(i), old_set(i) + ".tailscale.svc.cluster.local");
        EXPECT_EQ(text_of(world.kube.find(kAlias)->at({"spec", "externalName"})),
                  world.externally(0));
        EXPECT_NE(world.kube.find(FakeCluster::path("services", old_set(i))), nullptr);
    }
    EXPECT_EQ(world.kube.find(FakeCluster::path("deployments", "operator"))
                  ->at({"spec", "replicas"})
                  ->as_int(),
              1);
    // And there again.
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    world.expect_adopted();
}

TEST(Rollback, KilledAtAnyPointIsCompletedByTheNextRun) {
    for (int requests = 0;; ++requests) {
        SCOPED_TRACE(requests);
        World world(2);
        world.start_controller();
        ASSERT_EQ(run_to_end(world, plain_adopt), "");
        if (!run_and_kill(world, roll_back, requests)) {
            break;
        }
        world.loop.run_for(10 * kMinute);
        ASSERT_EQ(run_to_end(world, roll_back), "");
        EXPECT_EQ(world.cluster.doubles, 0);
        EXPECT_TRUE(world.tailnet.keys.empty());
        EXPECT_EQ(world.tailnet.devices.size(), static_cast<std::size_t>(world.proxies));
        for (int i = 0; i < world.proxies; ++i) {
            EXPECT_EQ(world.kube.datum(World::secret(old_set(i) + "-0"), "device_id"),
                      "nOLD-" + parent(i));
        }
        if (testing::Test::HasFailure()) {
            return;
        }
    }
}

TEST(Rollback, GoesOnFromWhereARollbackWasKilled) {
    for (int requests = 0;; ++requests) {
        SCOPED_TRACE(requests);
        World world(2);
        world.start_controller();
        ASSERT_EQ(run_to_end(world, plain_adopt), "");
        world.kube.set_datum(World::secret(new_set(0) + "-0"), "_newest", "yes");
        if (!run_and_kill(world, roll_back, requests)) {
            break;
        }
        world.loop.run_for(requests % 2 == 0 ? 10 * kMinute : kSecond);
        ASSERT_EQ(run_to_end(world, plain_adopt), "");
        world.expect_adopted();
        EXPECT_EQ(world.kube.datum(World::secret(new_set(0) + "-0"), "_newest"), "yes");
        if (testing::Test::HasFailure()) {
            return;
        }
    }
}

TEST(Rollback, FinishForgetsTheRecords) {
    World world;
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    ASSERT_NE(world.kube.find(World::secret(record_name(old_set(0)))), nullptr);
    ASSERT_EQ(run_to_end(world, finish), "");
    EXPECT_EQ(world.kube.find(World::secret(record_name(old_set(0)))), nullptr);
    EXPECT_EQ(world.kube.find(World::secret(std::string(kOperatorRecord))), nullptr);
    std::string said;
    EXPECT_EQ(run_to_end(world, roll_back, &said), "");
    EXPECT_NE(said.find("there is no record"), std::string::npos) << said;
}

}  // namespace
}  // namespace runtime
