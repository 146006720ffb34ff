// Pods that report another version than their own, on which the meaning of a request depends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/controller/view/objects.h"
#include "runtime/testing/controller_test.h"
#include "runtime/testing/decide_world.h"

namespace runtime::controller {
namespace {

struct Version {
    std::string text;
    bool is_late;  // it is treated as one that keeps what it knows of its device
};
const std::vector<Version> kVersions = {
    {"", false},
    {"latest", false},
    {"0x94", false},
    {" 148", false},
    {"-148", false},
    {"133", false},
    {std::string(1000, '9'), false},
    {"99999999999", false},
    {"134", true},
    {"2147483647", true},
};

TEST(ForgedVersion, AnInvalidNumberCountsAsUnknown) {
    for (const Version& version : kVersions) {
        SCOPED_TRACE(version.text);
        DecideWorld world;
        world.be_new();
        world.state.capability_version = version.text;
        EXPECT_EQ(world.decide_all(), version.is_late ? "look for n1" : "clear the request");
    }
}

// Each of them requests a key with the device of another pod, then with one that does not exist.
TEST_F(ControllerTest, ForgedVersionsTakeNothingFromOthers) {
    cluster.add_proxy("good");
    for (std::size_t i = 0; i < kVersions.size(); ++i) {
        cluster.add_proxy(fmt::format("bad{}", i));
    }
    start();
    run(kMinute);
    const std::string good = device_of("good-0");
    const auto good_secrets = [this] {
        return std::vector<std::string>{
            renderer::write_json(*kube.find(secret("good-0"))),
            renderer::write_json(*kube.find(secret("good-0-auth"))),
            renderer::write_json(*kube.find(FakeCluster::path("pods", "good-0")))};
    };
    const auto secrets_before = good_secrets();
    const auto devices_before = tailnet.devices;
    const std::size_t keys_before = tailnet.keys.size();
    for (const bool is_there : {true, false}) {
        SCOPED_TRACE(is_there);
        for (std::size_t i = 0; i < kVersions.size(); ++i) {
            const std::string state = secret(fmt::format("bad{}-0", i));
            kube.set_datum(state, "tailscale_capver", kVersions[i].text);
            kube.set_datum(state, "device_id", is_there ? good : fmt::format("nNONE{}", i));
            kube.set_datum(state, "reissue_authkey", "file:");
        }
        run(10 * kMinute);
        EXPECT_EQ(good_secrets(), secrets_before);
        for (const auto& [id, unused] : devices_before) {
            EXPECT_TRUE(tailnet.devices.contains(id)) << id;
        }
        const std::size_t late = 2;
        EXPECT_EQ(tailnet.keys.size(), keys_before + (is_there ? 0 : late))
            << "only whose device is not in the tailnet gets a key";
    }
}

}  // namespace
}  // namespace runtime::controller
