// The key of a pod that never joins, because its node is full or its image cannot be pulled.
#include <gtest/gtest.h>

#include "runtime/testing/controller_process.h"

namespace runtime::controller {
namespace {

constexpr Duration kMinute = std::chrono::minutes(1);
constexpr Duration kHour = std::chrono::hours(1);

class KeyLife : public testing::Test {
protected:
    KeyLife() {
        network.add("https://kube", kube);
        network.add("https://tailnet", tailnet);
        network.fault = [this](const HttpRequest& request) {
            const bool mints = request.method == "POST" && request.url.ends_with("/keys");
            return mints && cannot_mint ? Fault::Broken : Fault::None;
        };
        cluster.add_proxy("a");
        loop.run_for(kMinute);
    }

    // Expects one usable key, in the Secret that the pod reads.
    void expect_one_usable_key() {
        const auto usable = tailnet.usable_keys();
        ASSERT_EQ(usable.size(), 1U);
        EXPECT_EQ(kube.datum(FakeCluster::path("secrets", "a-0-auth"), "authkey"),
                  tailnet.keys.at(usable[0]).secret);
    }
    [[nodiscard]] Controller::Counts counts() const { return process.controller.counts(); }

    bool cannot_mint = false;
    FakeLoop loop;
    FakeLoop nodes;  // its time never passes, so that no pod is created
    FakeNetwork network{loop};
    FakeKube kube;
    FakeTailnet tailnet{loop};
    FakeCluster cluster{nodes, kube, tailnet};
    ControllerProcess process{loop, network, 1};
};

TEST_F(KeyLife, OneIsUsableAtAnyTimeAndOldOnesAreRevoked) {
    for (int hour = 0; hour < 20; ++hour) {  // a key lasts 24, and is replaced 6 before
        SCOPED_TRACE(hour);
        ASSERT_NO_FATAL_FAILURE(expect_one_usable_key());
        EXPECT_EQ(counts().keys_expiring, 0U);
        loop.shift_calendar(kHour - 5 * kMinute);
        loop.run_for(5 * kMinute);
    }
    expect_one_usable_key();
    EXPECT_EQ(tailnet.keys.size(), 2U);
    EXPECT_TRUE(tailnet.keys.begin()->second.revoked);
    EXPECT_EQ(counts().keys_minted, 2U);
    EXPECT_EQ(counts().retries, 0U);
}

TEST_F(KeyLife, ThatEndsIsReportedWhileNoOtherCanBeMinted) {
    cannot_mint = true;
    loop.shift_calendar(17 * kHour);
    loop.run_for(kMinute);
    EXPECT_EQ(counts().keys_expiring, 0U);
    EXPECT_EQ(counts().retries, 0U);
    loop.run_for(kHour);
    EXPECT_EQ(counts().keys_expiring, 1U);
    EXPECT_GE(counts().retries, 2U);
    expect_one_usable_key();
    cannot_mint = false;
    const std::uint64_t retries = counts().retries;
    loop.run_for(5 * kMinute);
    EXPECT_EQ(counts().keys_expiring, 0U);
    EXPECT_EQ(counts().keys_minted, 2U);
    EXPECT_LE(counts().retries, retries + 1);
    EXPECT_TRUE(tailnet.keys.begin()->second.revoked);
    expect_one_usable_key();
}

}  // namespace
}  // namespace runtime::controller
