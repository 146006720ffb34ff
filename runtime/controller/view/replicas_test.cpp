#include "runtime/controller/view/replicas.h"

#include "renderer/contract/annotations.h"
#include "runtime/testing/controller_test.h"

namespace runtime::controller {
namespace {

using renderer::Value;

class ReplicasTest : public ControllerTest {};

TEST_F(ReplicasTest, AConfigurationThatChangesBeforeAPodHasJoined) {
    cluster.add_group("kube", 1, true);
    const auto offer = [this](const std::string& config) {
        cluster.offer("kube", Value::map({{"kube-0.hujson", config}}));
    };
    offer(R"({"Version":"v1alpha1"})");
    start();
    run(Duration(100));
    ASSERT_EQ(tailnet.usable_keys().size(), 1U);
    offer(R"({"Version":"v1alpha1","Hostname":"new"})");
    run(Duration(100));
    const std::string config = kube.datum(secret("kube-0-config"), "config.hujson");
    EXPECT_NE(config.find(R"("Hostname":"new")"), std::string::npos) << config;
    EXPECT_NE(config.find("AuthKey"), std::string::npos) << config;
    EXPECT_EQ(tailnet.usable_keys().size(), 1U) << "the key before is revoked";
    run(kMinute);
    EXPECT_EQ(tailnet.devices.size(), 1U);
    EXPECT_TRUE(tailnet.usable_keys().empty());
}

TEST_F(ReplicasTest, AnApiProxyWhoseStateIsLostGetsANewKey) {
    cluster.add_group("kube", 1, true);
    cluster.offer("kube", Value::map({{"kube-0.hujson", R"({"Version":"v1alpha1"})"}}));
    start();
    run(30 * kSecond);
    ASSERT_EQ(tailnet.devices.size(), 1U);
    const std::string device = tailnet.devices.begin()->first;
    kube.erase(secret("kube-0"));
    cluster.restart_pod("kube-0");
    run(5 * kMinute);
    ASSERT_EQ(tailnet.devices.size(), 1U);
    EXPECT_NE(tailnet.devices.begin()->first, device);
    EXPECT_TRUE(tailnet.usable_keys().empty());
    kube.erase(FakeCluster::path("configmaps", "tailrender-group-kube"));
    cluster.remove_proxy("kube");
    run(10 * kMinute);
    EXPECT_TRUE(tailnet.devices.empty());
    EXPECT_EQ(kube.find(secret("kube-0-config")), nullptr);
    EXPECT_EQ(kube.find(secret("kube-0")), nullptr);
}

// An API proxy never requests a key, nor does a recorder.
TEST_F(ReplicasTest, AnApiProxyWhoseKeyIsDeadGetsANewKey) {
    cluster.add_group("kube", 1, true);
    cluster.offer("kube", Value::map({{"kube-0.hujson", R"({"Version":"v1alpha1"})"}}));
    bool is_revoked = false;
    network.fault = [&](const HttpRequest& request) {
        const bool writes = request.method == "POST" && request.url.ends_with("/secrets") &&
                            request.body.find("kube-0-config") != std::string::npos;
        if (writes && !is_revoked) {
            is_revoked = true;
            tailnet.keys.clear();
        }
        return Fault::None;
    };
    start();
    run(5 * kMinute);
    EXPECT_TRUE(is_revoked);
    EXPECT_TRUE(tailnet.devices.empty());
    EXPECT_TRUE(tailnet.keys.empty()) << "it may still join with the one that it has";
    run(15 * kMinute);
    EXPECT_EQ(tailnet.devices.size(), 1U);
    EXPECT_EQ(tailnet.keys.size(), 1U);
    EXPECT_TRUE(tailnet.usable_keys().empty());
}

TEST_F(ReplicasTest, APodThatCannotStartGetsNoOtherKey) {
    cluster.refused_pods.insert("kube-0");
    cluster.add_group("kube", 1, true);
    cluster.offer("kube", Value::map({{"kube-0.hujson", R"({"Version":"v1alpha1"})"}}));
    start();
    run(std::chrono::hours(2));
    EXPECT_EQ(tailnet.keys.size(), 1U);
    cluster.refused_pods.clear();
    run(kMinute);
    EXPECT_EQ(tailnet.devices.size(), 1U);
    EXPECT_EQ(tailnet.keys.size(), 1U);
}

TEST_F(ReplicasTest, ARecorderIsManagedLikeAProxy) {
    cluster.add_proxy("sessions");
    cluster.annotate("sessions", renderer::kParentAnnotation, "Recorder/sessions");
    start();
    run(kMinute);
    ASSERT_EQ(tailnet.devices.size(), 1U);
    const std::string device = tailnet.devices.begin()->first;
    EXPECT_TRUE(tailnet.usable_keys().empty());
    EXPECT_EQ(kube.datum(secret("sessions-0-auth"), "authkey"), "");
    cluster.annotate("sessions", renderer::kTagsAnnotation, "tag:k8s,tag:rec");
    run(kMinute);
    EXPECT_EQ(tailnet.devices.at(device).tags, (std::vector<std::string>{"tag:k8s", "tag:rec"}));
    kube.erase(secret("sessions-0"));
    cluster.restart_pod("sessions-0");
    run(5 * kMinute);
    ASSERT_EQ(tailnet.devices.size(), 1U);
    EXPECT_NE(tailnet.devices.begin()->first, device);
    EXPECT_TRUE(tailnet.usable_keys().empty());
    cluster.remove_proxy("sessions");
    run(10 * kMinute);
    EXPECT_TRUE(tailnet.devices.empty());
}

TEST_F(ReplicasTest, AGroupThatBecomesOneOfApiProxiesAndBack) {
    cluster.refused_pods.insert("front-1");
    cluster.add_group("front", 2, false);
    start();
    run(kMinute);
    EXPECT_EQ(tailnet.devices.size(), 1U);
    EXPECT_EQ(tailnet.usable_keys().size(), 1U);
    const auto settle = [this](std::string_view there, std::string_view gone) {
        cluster.restart_pod("front-0");
        cluster.restart_pod("front-1");
        run(5 * kMinute);
        EXPECT_EQ(tailnet.devices.size(), 2U);
        EXPECT_TRUE(tailnet.usable_keys().empty());
        for (const std::string pod : {"front-0", "front-1"}) {
            EXPECT_NE(kube.find(secret(pod + std::string(there))), nullptr);
            EXPECT_EQ(kube.find(secret(pod + std::string(gone))), nullptr);
        }
        const std::size_t writes = kube.writes;
        run(20 * kMinute);
        EXPECT_EQ(kube.writes, writes);
    };
    cluster.refused_pods.clear();
    cluster.offer("front", Value::map({{"front-0.hujson", R"({"Version":"v1alpha1"})"},
                                       {"front-1.hujson", R"({"Version":"v1alpha1"})"}}));
    cluster.add_group("front", 2, true);
    settle("-config", "-auth");
    cluster.offer("front", Value::map());
    cluster.add_group("front", 2, false);
    settle("-auth", "-config");
}

}  // namespace
}  // namespace runtime::controller
