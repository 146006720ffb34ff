#include "runtime/controller/keys/device_answers.h"

#include "renderer/contract/annotations.h"
#include "renderer/contract/auth_secret.h"
#include "runtime/base/time_text.h"
#include "runtime/testing/controller_test.h"

namespace runtime::controller {
namespace {

using renderer::Value;

class DeviceAnswersTest : public ControllerTest {
protected:
    void add_api_proxy() {
        cluster.add_group("kube", 1, true);
        cluster.offer("kube", Value::map({{"kube-0.hujson", R"({"Version":"v1alpha1"})"}}));
    }
    void add_recorder() {
        cluster.add_proxy("sessions");
        cluster.annotate("sessions", renderer::kParentAnnotation, "Recorder/sessions");
    }
    [[nodiscard]] std::size_t looks() const {
        std::size_t count = 0;
        for (const auto& sent : network.log) {
            count +=
                sent.method == "GET" && sent.url.find("/device/") != std::string::npos ? 1U : 0U;
        }
        return count;
    }
    std::string uid_of(const std::string& path) {
        return std::string(renderer::text_of(*kube.find(path), {"metadata", "uid"}));
    }
    [[nodiscard]] std::size_t joined() const {
        return process->controller.counts().devices.at(
            static_cast<std::size_t>(DeviceState::Joined));
    }
    [[nodiscard]] std::string only_device() const {
        return tailnet.devices.size() == 1 ? tailnet.devices.begin()->first : "";
    }
};

// Its key is used, and its profile always names the device.
TEST_F(DeviceAnswersTest, AnApiProxyWhoseDeviceWasDeletedGetsAnother) {
    add_api_proxy();
    start();
    run(kMinute);
    ASSERT_EQ(tailnet.devices.size(), 1U);
    tailnet.devices.clear();
    cluster.restart_pod("kube-0");
    run(20 * kMinute);
    ASSERT_EQ(tailnet.devices.size(), 1U);
    EXPECT_EQ(device_of("kube-0"), only_device());
    EXPECT_TRUE(tailnet.usable_keys().empty());
    EXPECT_EQ(tailnet.keys.size(), 2U);
    EXPECT_EQ(looks(), 3U) << "once, and when either has joined";
}

TEST_F(DeviceAnswersTest, AnApiProxyThatIsOnlySlowKeepsItsDevice) {
    add_api_proxy();
    start();
    run(kMinute);
    const std::string device = only_device();
    kube.set_datum(secret("kube-0"), "device_id", "");
    run(kMinute * 60);
    EXPECT_EQ(only_device(), device);
    EXPECT_EQ(tailnet.keys.size(), 1U);
    EXPECT_GE(looks(), 5U);
    EXPECT_LE(looks(), 7U) << "every ten minutes, and when it has joined";
}

// Its pod stays ready when the device is deleted.
TEST_F(DeviceAnswersTest, ARecorderWhoseDeviceWasDeletedGetsAnother) {
    add_recorder();
    start();
    run(30 * kMinute);
    ASSERT_EQ(tailnet.devices.size(), 1U);
    const std::size_t before = looks();
    run(kMinute * 60);
    EXPECT_EQ(looks(), before + 1) << "once an hour";
    tailnet.devices.clear();
    run(kMinute * 61);
    EXPECT_EQ(tailnet.devices.size(), 1U);
    EXPECT_EQ(tailnet.keys.size(), 2U);
}

// The other tailnet does not have the device, which does not mean that it was deleted.
TEST_F(DeviceAnswersTest, APodCannotHaveTheDeviceOfAnotherTailnetTakenForGone) {
    FakeTailnet partner{loop};
    network.add("https://partner", partner);
    cluster.add_tailnet("partner", "https://partner", partner);
    cluster.add_proxy("a");
    add_recorder();
    add_api_proxy();
    cluster.annotate("kube", renderer::kTailnetAnnotation, "partner");
    start();
    run(kMinute);
    const std::string device = tailnet.devices.rbegin()->first;
    ASSERT_FALSE(partner.devices.contains(device));
    ASSERT_NE(device_of("a-0"), device) << "it is the recorder's";
    kube.set_datum(secret("kube-0"), "device_id", device);
    kube.set_datum(secret("kube-0"), "profile-1", R"({"Config":{"NodeID":")" + device + R"("}})");
    run(kMinute);
    kube.set_datum(secret("kube-0"), "device_id", "");
    run(kMinute * 70);
    EXPECT_EQ(tailnet.keys.size(), 2U);
}

// From 1.98 on the device in the state Secret outlives the pod.
TEST_F(DeviceAnswersTest, ANewPodWhoseDeviceWasDeletedGetsAnother) {
    cluster.keep_device = true;
    cluster.add_proxy("a");
    start();
    run(kMinute);
    expect_converged({"a-0"});
    tailnet.devices.clear();
    cluster.restart_pod("a-0");
    run(2 * kMinute);
    expect_converged({"a-0"});
    EXPECT_EQ(tailnet.keys.size(), 2U);
    EXPECT_EQ(looks(), 3U) << "when either has joined, and once in between";
    EXPECT_EQ(kube.find(secret("a-0-auth"))
                  ->at({"metadata", "annotations", renderer::kDeviceGoneAnnotation}),
              nullptr);
}

// Without the controller it would look for a key again after ten minutes.
TEST_F(DeviceAnswersTest, ANewPodThatNeedsAKeyIsBackWithinAMinute) {
    cluster.keep_device = true;
    cluster.add_proxy("a");
    add_api_proxy();
    start();
    run(10 * kMinute);
    ASSERT_EQ(tailnet.devices.size(), 2U);
    tailnet.devices.clear();
    cluster.restart_pod("a-0");
    cluster.restart_pod("kube-0");
    Duration waited = {};
    for (; waited < 20 * kMinute && tailnet.devices.size() < 2; waited += kSecond) {
        run(kSecond);
    }
    EXPECT_LE(waited, kMinute);
    run(kMinute);
    EXPECT_TRUE(tailnet.devices.contains(device_of("a-0")));
    EXPECT_TRUE(tailnet.devices.contains(device_of("kube-0")));
}

// Its state Secret names the previous device all the time.
TEST_F(DeviceAnswersTest, ANewPodHasJoinedOnceItIsReady) {
    cluster.keep_device = true;
    cluster.add_proxy("a");
    start();
    run(kMinute);
    ASSERT_EQ(joined(), 1U);
    const std::string path = FakeCluster::path("pods", "a-0");
    Value pod = kube.find(path)->clone();
    for (Value& condition : pod.find("status")->find("conditions")->items()) {
        condition.put("status", "False");
    }
    kube.put(path, std::move(pod));
    run(kSecond);
    EXPECT_FALSE(device_of("a-0").empty());
    EXPECT_EQ(joined(), 0U);
}

// Kubernetes would wait for the pod to be ready before it uses the template that fixes it.
TEST_F(DeviceAnswersTest, ANewPodThatIsNotReadyGivesWayToAnotherTemplate) {
    cluster.keep_device = true;
    cluster.add_proxy("a");
    start();
    run(kMinute);
    tailnet.devices.clear();
    network.fault = [](const HttpRequest& request) {
        return request.url.find("https://tailnet") == 0 ? Fault::Broken : Fault::None;
    };
    cluster.restart_pod("a-0");
    run(kMinute);
    const std::string path = FakeCluster::path("pods", "a-0");
    const std::string stuck = uid_of(path);
    Value pod = kube.find(path)->clone();
    pod.find("metadata")->put("labels", Value::map({{"controller-revision-hash", "a-1"}}));
    kube.put(path, std::move(pod));
    Value set = kube.find(FakeCluster::path("statefulsets", "a"))->clone();
    set.find("metadata")->put("generation", 2);
    set.put("status", Value::map({{"observedGeneration", 1}, {"updateRevision", "a-2"}}));
    kube.put(FakeCluster::path("statefulsets", "a"), set.clone());
    run(2 * kMinute);
    EXPECT_EQ(uid_of(path), stuck) << "the revision is of a template before";
    set.put("status", Value::map({{"observedGeneration", 2}, {"updateRevision", "a-2"}}));
    Value on_delete = set.clone();
    on_delete.find("spec")->put("updateStrategy", Value::map({{"type", "OnDelete"}}));
    kube.put(FakeCluster::path("statefulsets", "a"), std::move(on_delete));
    run(2 * kMinute);
    EXPECT_EQ(uid_of(path), stuck) << "whoever deletes it chooses when";
    Value unready = kube.find(path)->clone();
    unready.find("status")->put(
        "conditions",
        Value::list({Value::map({{"type", "Ready"},
                                 {"status", "False"},
                                 {"lastTransitionTime", format_seconds(loop.now())}})}));
    kube.put(path, std::move(unready));
    kube.put(FakeCluster::path("statefulsets", "a"), std::move(set));
    run(30 * kSecond);
    EXPECT_EQ(uid_of(path), stuck) << "it may be ready again in a moment";
    run(2 * kMinute);
    EXPECT_NE(uid_of(path), stuck);
}

TEST_F(DeviceAnswersTest, ANewPodWhoseDeviceWasDeletedGetsAnotherWheneverTheProcessIsKilled) {
    for (int life = 0; life < 40; ++life) {
        SCOPED_TRACE(life);
        cluster.keep_device = true;
        cluster.add_proxy("a");
        start(1);
        run(kMinute);
        tailnet.devices.clear();
        cluster.restart_pod("a-0");
        run(Duration(50 * life));
        process.reset();
        start(2);
        run(14 * kMinute);
        expect_converged({"a-0"});
        process.reset();
        start(3);
        cluster.remove_proxy("a");
        run(10 * kMinute);
        EXPECT_TRUE(tailnet.devices.empty());
        process.reset();
    }
}

TEST_F(DeviceAnswersTest, ANewPodThatAsksWithItsDeviceInTheTailnetGetsNoKey) {
    cluster.keep_device = true;
    cluster.add_proxy("a");
    start();
    run(5 * kMinute);
    kube.set_datum(secret("a-0"), "reissue_authkey", "file:/etc/tsauth/a-0/authkey");
    run(kMinute);
    expect_converged({"a-0"});
    EXPECT_EQ(tailnet.keys.size(), 1U);
    EXPECT_EQ(looks(), 2U);
}

TEST_F(DeviceAnswersTest, ANewApiProxyAsksForAKey) {
    cluster.keep_device = true;
    add_api_proxy();
    start();
    run(kMinute);
    tailnet.devices.clear();
    cluster.restart_pod("kube-0");
    run(2 * kMinute);
    ASSERT_EQ(tailnet.devices.size(), 1U);
    EXPECT_EQ(device_of("kube-0"), only_device());
    EXPECT_TRUE(tailnet.usable_keys().empty());
    EXPECT_EQ(tailnet.keys.size(), 2U);
}

// A proxy that loses its state gets another device.
TEST_F(DeviceAnswersTest, ANewApiProxyThatForgetsItselfLeavesNoDeviceBehind) {
    cluster.keep_device = true;
    add_api_proxy();
    start();
    run(kMinute);
    for (const char* key : {"device_id", "_current-profile", "profile-1"}) {
        kube.erase_datum(secret("kube-0"), key);
    }
    run(20 * kMinute);
    ASSERT_EQ(tailnet.devices.size(), 1U);
    EXPECT_EQ(device_of("kube-0"), only_device());
}

TEST_F(DeviceAnswersTest, MintsNothingWhenTheTailnetDoesNotSay) {
    add_api_proxy();
    start();
    run(kMinute);
    tailnet.may_read_devices = false;
    kube.set_datum(secret("kube-0"), "device_id", "");
    run(kMinute * 60);
    EXPECT_EQ(tailnet.keys.size(), 1U);
    const auto events = kube.paths_below("/api/v1/namespaces/default/events");
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(kube.find(events[0])->at({"message"})->text(),
              "kube-0: cannot look up the device: calling actor does not have enough permissions "
              "to perform this function (HTTP status 403): OAuth client \"id\" needs the scope "
              "\"devices:core\"");
}

}  // namespace
}  // namespace runtime::controller
