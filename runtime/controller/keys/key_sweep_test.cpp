#include "runtime/controller/keys/key_sweep.h"

#include <fmt/format.h>

#include "runtime/testing/controller_test.h"

namespace runtime::controller {
namespace {

class KeySweepTest : public ControllerTest {
protected:
    void add_partner() {
        network.add("https://partner", partner);
        cluster.add_tailnet("partner", "https://partner", partner);
    }

    std::size_t lists(const std::string& server = "https://tailnet") {
        std::size_t count = 0;
        for (const auto& sent : network.log) {
            count += sent.method == "GET" && sent.url == server + "/api/v2/tailnet/-/keys" ? 1 : 0;
        }
        return count;
    }
    static bool mints(const HttpRequest& request) {
        return request.method == "POST" && request.url.ends_with("/keys");
    }

    FakeTailnet partner{loop};
};

TEST_F(KeySweepTest, LooksOnceAnHourWhateverHappenedBefore) {
    add_partner();
    start();
    run(2 * kMinute);
    bool is_broken = true;
    network.fault = [&is_broken](const HttpRequest& request) {
        return is_broken && mints(request) ? Fault::Broken : Fault::None;
    };
    cluster.add_proxy("a");
    std::size_t before = lists();
    run(std::chrono::hours(1));
    EXPECT_LE(lists() - before, 61U) << "one a minute";
    is_broken = false;
    run(5 * kMinute);
    EXPECT_EQ(device_of("a-0").empty(), false);
    before = lists();
    const std::size_t before_there = lists("https://partner");
    run(std::chrono::hours(24));
    EXPECT_GE(lists() - before, 23U);
    EXPECT_LE(lists() - before, 25U);
    EXPECT_LE(lists("https://partner") - before_there, 25U);
}

TEST_F(KeySweepTest, ATailnetThatHangsIsItsOwnProblem) {
    add_partner();
    network.fault = [](const HttpRequest& request) {
        return request.url.starts_with("https://partner") ? Fault::Hung : Fault::None;
    };
    start();
    run(kSecond);
    cluster.add_proxy("a");
    run(kSecond);
    EXPECT_NE(kube.find(secret("a-0-auth")), nullptr);
    run(kMinute);
    EXPECT_EQ(tailnet.devices.size(), 1U);
    cluster.remove_proxy("a");
    run(10 * kMinute);
    EXPECT_TRUE(tailnet.devices.empty());
}

TEST_F(KeySweepTest, LooksAgainSoonAfterAFailure) {
    start();
    run(2 * kMinute);
    bool is_lost = false;
    bool is_broken = true;
    network.fault = [&](const HttpRequest& request) {
        if (mints(request) && !std::exchange(is_lost, true)) {
            return Fault::LostReply;
        }
        return is_broken && request.method == "GET" && request.url.ends_with("/keys")
                   ? Fault::Broken
                   : Fault::None;
    };
    cluster.add_proxy("a");
    run(3 * kMinute);
    EXPECT_EQ(tailnet.usable_keys().size(), 1U) << "the lost one";
    is_broken = false;
    run(5 * kMinute);
    EXPECT_TRUE(tailnet.usable_keys().empty());
}

// After many failures the next look is minutes away.
TEST_F(KeySweepTest, ARequestShortensTheDelayAfterFailures) {
    start();
    run(2 * kMinute);
    bool is_lost = false;
    bool is_broken = true;
    network.fault = [&](const HttpRequest& request) {
        if (mints(request) && !std::exchange(is_lost, true)) {
            return Fault::LostReply;
        }
        return is_broken && request.method == "GET" && request.url.ends_with("/keys")
                   ? Fault::Broken
                   : Fault::None;
    };
    run(100 * kMinute);
    for (const std::size_t before = lists(); lists() == before;) {
        run(kSecond);
    }
    run(2 * kMinute);  // until it has failed, after retries of its request
    is_broken = false;
    cluster.add_proxy("a");
    run(2 * kMinute);
    EXPECT_TRUE(is_lost);
    EXPECT_TRUE(tailnet.usable_keys().empty()) << "the lost one";
}

// Two configurations have the same tailnet, so the sweep of one sees the keys of the other.
TEST_F(KeySweepTest, TakesNoKeyThatIsYetToBeWrittenDown) {
    start();
    run(2 * kMinute);
    network.fault = [](const HttpRequest& request) {
        return request.method == "POST" && request.url.ends_with("/secrets") ? Fault::Slow
                                                                             : Fault::None;
    };
    constexpr int kRounds = 60;
    for (int i = 0; i < kRounds; ++i) {
        cluster.add_proxy(fmt::format("p{}", i));
        run(Duration(2 * i));
        cluster.add_tailnet(fmt::format("other-{}", i), "https://tailnet", tailnet);
        run(kSecond);
    }
    run(kMinute);
    EXPECT_EQ(tailnet.keys.size(), static_cast<std::size_t>(kRounds));
    EXPECT_EQ(tailnet.devices.size(), static_cast<std::size_t>(kRounds));
}

}  // namespace
}  // namespace runtime::controller
