#include "runtime/controller/keys/step_limit.h"

#include <algorithm>
#include <string>

#include "renderer/contract/state_secret.h"
#include "runtime/testing/controller_test.h"

namespace runtime::controller {
namespace {

// A pod shows and hides its device in turn, and requests a key each time.
class StepLimitTest : public ControllerTest {};

TEST_F(StepLimitTest, APodGetsNoKeysWithoutEnd) {
    cluster.add_proxy("a");
    start();
    run(kMinute);
    const std::size_t first = tailnet.keys.size();
    const std::string device = device_of("a-0");
    for (int i = 0; i < 300; ++i) {
        kube.set_datum(secret("a-0"), "reissue_authkey", "x");
        kube.erase_datum(secret("a-0"), "device_id");
        run(kSecond / 2);
        kube.set_datum(secret("a-0"), "device_id", device);
        run(kSecond / 2);
    }
    EXPECT_GT(tailnet.keys.size(), first);
    EXPECT_LE(tailnet.keys.size(), first + 3 + 5) << "three, and then one a minute";
    EXPECT_LE(tailnet.usable_keys().size(), 1U);
    const auto events = kube.paths_below("/api/v1/namespaces/apps/events");
    EXPECT_TRUE(std::ranges::any_of(events, [this](const std::string& path) {
        return renderer::text_of(kube.find(path)->find("message")) ==
               "a-0: 3 keys were created for it within minutes: the next one is created in a "
               "minute";
    }));
}

// Each step that succeeds in between ends the delay after a failed one.
TEST_F(StepLimitTest, APodThatFlipsItsWordsCausesFewRequests) {
    cluster.add_proxy("a");
    cluster.add_proxy("b");
    start();
    run(kMinute);
    const std::string own = device_of("a-0");
    const auto say = [this](const std::string& device, std::string_view gone_since) {
        renderer::Value state = kube.find(secret("a-0"))->clone();
        state.find("metadata")
            ->find("annotations")
            ->put(std::string(renderer::kGoneAnnotation), gone_since);
        kube.put(secret("a-0"), std::move(state));
        kube.set_datum(secret("a-0"), "device_id", device);
    };
    const std::size_t before = network.log.size();
    for (int i = 0; i < 100; ++i) {
        say(own, "2020-01-01T00:00:00Z");
        run(kSecond);
        kube.set_datum(secret("a-0"), "device_id", device_of("b-0"));
        run(kSecond / 5);
    }
    EXPECT_LE(network.log.size() - before, 200U) << "in 120 s";
}

TEST(StepLimit, ForgetsWhoMayHaveAllAgain) {
    StepLimit limit(kAskedAtOnce, kAskedPause);
    for (int i = 0; i < kAskedAtOnce; ++i) {
        EXPECT_TRUE(limit.may_begin("a", kSecond));
        limit.count("a", kSecond);
    }
    EXPECT_FALSE(limit.may_begin("a", kSecond));
    EXPECT_TRUE(limit.may_begin("b", kSecond));
    EXPECT_TRUE(limit.may_begin("a", kSecond + kAskedPause));
    limit.forget(kSecond + kAskedPause);
    EXPECT_FALSE(limit.may_begin("a", kSecond)) << "it is remembered";
    limit.forget(kSecond + kAskedAtOnce * kAskedPause);
    EXPECT_TRUE(limit.may_begin("a", kSecond));
}

}  // namespace
}  // namespace runtime::controller
