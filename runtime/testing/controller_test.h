// The controller in a cluster, for tests of it and of its features.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/base/backoff.h"
#include "runtime/controller/keys/secrets.h"
#include "runtime/controller/view/objects.h"
#include "runtime/testing/controller_process.h"
#include "runtime/testing/durations.h"

namespace runtime {

class ControllerTest : public testing::Test {
protected:
    ControllerTest() {
        network.add("https://kube", kube);
        network.add("https://tailnet", tailnet);
    }

    void start(std::uint64_t seed = 1) {
        process = std::make_unique<ControllerProcess>(loop, network, seed, take_over_tag, api_ns);
    }
    void run(Duration duration) { loop.run_for(duration); }
    static std::string secret(const std::string& name) {
        return FakeCluster::path("secrets", name);
    }
    std::string device_of(const std::string& pod) { return kube.datum(secret(pod), "device_id"); }

    // Puts an empty state Secret of the controller for pod 0.
    void put_state(const std::string& set) {
        const auto decoded =
            controller::decode_proxy_set(*kube.find(FakeCluster::path("statefulsets", set)));
        kube.put(secret(set + "-0"), controller::state_secret(FakeCluster::kNamespace, set + "-0",
                                                              set, "", decoded->labels));
    }
    // Copies a state to its new name, as `adopt` does.
    void bring_state(const std::string& set, const std::string& old_set) {
        put_state(set);
        for (const char* key : {"_current-profile", "profile-1"}) {
            kube.set_datum(secret(set + "-0"), key, kube.datum(secret(old_set + "-0"), key));
        }
    }

    // Confirms the removals that are blocked under `key` of `tailrender-devices`.
    void confirm_blocked(std::string_view key) {
        const std::string path = FakeCluster::path("configmaps", "tailrender-devices");
        renderer::Value object = kube.find(path)->clone();
        const auto blocked = renderer::read_json(renderer::text_of(object.at({"data", key})));
        ASSERT_TRUE(blocked);
        renderer::Value& metadata = *object.find("metadata");
        metadata.erase("annotations");
        metadata.put("annotations",
                     renderer::Value::map({{"tailrender.dev/confirm-removals",
                                            renderer::text_of(blocked->find("token"))}}));
        kube.put(path, std::move(object));
    }

    // Expects the devices and Secrets of these pods, no others, and no unused key.
    void expect_converged(const std::set<std::string>& pods) {
        std::set<std::string> devices;
        for (const std::string& pod : pods) {
            SCOPED_TRACE(pod);
            const std::string device = device_of(pod);
            EXPECT_TRUE(tailnet.devices.contains(device)) << "device \"" << device << "\"";
            EXPECT_NE(kube.find(secret(pod + "-auth")), nullptr);
            EXPECT_EQ(kube.datum(secret(pod + "-auth"), "authkey"), "");
            EXPECT_EQ(kube.datum(secret(pod), "reissue_authkey"), "");
            devices.insert(device);
        }
        EXPECT_EQ(tailnet.devices.size(), devices.size()) << "devices that no one has";
        EXPECT_EQ(tailnet.usable_keys(), std::vector<std::string>()) << "keys that no one has";
        EXPECT_EQ(kube.paths_below(secret("")).size(), 2 * pods.size());
    }

    std::string take_over_tag;  // of the controllers that are started
    std::string api_ns;         // of the controllers that are started
    FakeLoop loop;
    FakeNetwork network{loop};
    FakeKube kube;
    FakeTailnet tailnet{loop};
    FakeCluster cluster{loop, kube, tailnet};
    std::unique_ptr<ControllerProcess> process;
};

}  // namespace runtime
