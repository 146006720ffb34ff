#include "runtime/controller/records/devices_table.h"

#include <fmt/format.h>

#include <array>

#include "renderer/contract/auth_secret.h"
#include "renderer/core/text_of.h"
#include "runtime/testing/controller_test.h"

namespace runtime::controller {
namespace {

using renderer::text_of;

TEST(Shards, AreFewAndAPowerOfTwo) {
    EXPECT_EQ(shards_for(0), 1U);
    EXPECT_EQ(shards_for(128), 1U);
    EXPECT_EQ(shards_for(129), 2U);
    EXPECT_EQ(shards_for(1000), 8U);
    EXPECT_EQ(shards_for(100'000), 32U);
    EXPECT_EQ(shard_of("web-0", 1), 0U);
    EXPECT_EQ(shard_name(0), "tailrender-devices");
    EXPECT_EQ(shard_name(7), "tailrender-devices-7");
}

class DevicesTableTest : public ControllerTest {
protected:
    static std::string map_path(std::size_t shard) {
        return FakeCluster::path("configmaps", shard_name(shard));
    }
    std::string lines(std::size_t shard) {
        const renderer::Value* object = kube.find(map_path(shard));
        return std::string(
            object == nullptr ? "" : text_of(object->at({"data", std::string(kDevicesKey)})));
    }
    // Returns the pods of all shards, each from its own.
    std::set<std::string> pods(std::size_t shards) {
        std::set<std::string> found;
        for (std::size_t shard = 0; shard < shards; ++shard) {
            const std::string text = lines(shard);
            std::string_view rest = text;
            while (!rest.empty()) {
                const std::string_view line = rest.substr(0, rest.find('\n'));
                rest.remove_prefix(line.size() + 1);
                const std::string_view pod = line.substr(8, line.find('"', 8) - 8);
                EXPECT_EQ(shard_of(pod, shards), shard) << line;
                found.emplace(pod);
            }
        }
        return found;
    }
};

TEST_F(DevicesTableTest, GrowsIntoMoreConfigMapsAndBack) {
    std::set<std::string> all;
    for (int i = 0; i < 260; ++i) {
        const std::string name = fmt::format("p{}", i);
        cluster.add_proxy(name);
        all.insert(name + "-0");
    }
    start();
    run(5 * kMinute);
    EXPECT_EQ(pods(4), all);
    // A change of one device rewrites only its shard.
    const std::size_t its = shard_of("p7-0", 4);
    std::array<std::string, 4> versions;
    const auto version = [this](std::size_t shard) {
        return std::string(
            text_of(kube.find(map_path(shard))->at({"metadata", "resourceVersion"})));
    };
    for (std::size_t shard = 0; shard < 4; ++shard) {
        versions.at(shard) = version(shard);
    }
    cluster.restart_pod("p7-0");
    run(kMinute);
    for (std::size_t shard = 0; shard < 4; ++shard) {
        EXPECT_EQ(version(shard) == versions.at(shard), shard != its) << shard;
    }
    kube.erase(map_path(its));
    run(10 * kSecond);
    EXPECT_EQ(pods(4), all) << "what someone has deleted is written again";
    for (int i = 0; i < 150; ++i) {
        const std::string name = fmt::format("p{}", i);
        cluster.remove_proxy(name);
        all.erase(name + "-0");
    }
    run(kMinute);
    confirm_blocked("blocked-removals.json");
    run(20 * kMinute);
    EXPECT_EQ(pods(1), all);
    for (std::size_t shard = 1; shard < 4; ++shard) {
        EXPECT_EQ(lines(shard), "") << shard;
    }
    start(2);
    run(kMinute);
    EXPECT_EQ(pods(1), all) << "and a new process finds it so";
}

TEST_F(DevicesTableTest, OfFewDevicesIsNewAtOnce) {
    cluster.add_proxy("web");
    start();
    const auto is_noted = [this] {
        const renderer::Value* auth = kube.find(secret("web-0-auth"));
        return auth != nullptr &&
               auth->at({"metadata", "annotations", renderer::kDeviceNameAnnotation}) != nullptr;
    };
    for (int i = 0; i < 1000 && !is_noted(); ++i) {
        run(std::chrono::milliseconds(10));
    }
    ASSERT_TRUE(is_noted());
    run(std::chrono::milliseconds(300));
    EXPECT_NE(lines(0).find(R"("state":"joined")"), std::string::npos) << lines(0);
}

}  // namespace
}  // namespace runtime::controller
