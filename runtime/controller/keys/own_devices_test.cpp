#include "runtime/controller/keys/own_devices.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/contract/annotations.h"
#include "renderer/contract/auth_secret.h"
#include "renderer/contract/state_secret.h"
#include "renderer/core/text_of.h"
#include "runtime/testing/controller_test.h"

namespace runtime::controller {
namespace {

using renderer::text_of;
using renderer::Value;

const DeviceClaim kClaim{.pod = "a-0",
                         .parent = "Service/apps/a",
                         .tailnet = "",
                         .device = "n1",
                         .hostname = "apps-a",
                         .tags = "tag:web,tag:k8s;tag:old"};
const TailnetDevice kDevice{
    .id = "n1", .name = "apps-a-1.x.ts.net", .hostname = "Apps-A", .tags = {"tag:k8s", "tag:web"}};

struct OwnDeviceCase {
    const char* name;
    void (*change)(DeviceClaim&, TailnetDevice&);
    const char* objection;
    const char* tags;
};

const OwnDeviceCase kOwnDeviceCases[] = {
    {"its own", [](DeviceClaim&, TailnetDevice&) {}, "", "tag:web,tag:k8s"},
    {"of an earlier key", [](DeviceClaim&, TailnetDevice& d) { d.tags = {"tag:old"}; }, "",
     "tag:old"},
    {"hostname unknown",
     [](DeviceClaim& c, TailnetDevice& d) {
         c.hostname = "";
         d.hostname = "laptop";
     },
     "its expected hostname is unknown", ""},
    {"another hostname", [](DeviceClaim&, TailnetDevice& d) { d.hostname = "laptop"; },
     "it has the hostname \"laptop\", expected \"apps-a\"", ""},
    {"fewer tags", [](DeviceClaim&, TailnetDevice& d) { d.tags = {"tag:k8s"}; },
     "it has the tags \"tag:k8s\", expected \"tag:web,tag:k8s;tag:old\"", ""},
    {"more tags",
     [](DeviceClaim&, TailnetDevice& d) {
         d.tags = {"tag:db", "tag:k8s", "tag:web"};
     },
     "it has the tags \"tag:db,tag:k8s,tag:web\", expected \"tag:web,tag:k8s;tag:old\"", ""},
    {"of a person", [](DeviceClaim&, TailnetDevice& d) { d.tags = {}; },
     "it has the tags \"\", expected \"tag:web,tag:k8s;tag:old\"", ""},
    {"of a person, and no tags are known",
     [](DeviceClaim& c, TailnetDevice& d) {
         c.tags = "";
         d.tags = {};
     },
     "it has the tags \"\", and its expected tags are unknown", ""},
    {"named by its other id", [](DeviceClaim& c, TailnetDevice&) { c.device = "92960230385"; },
     "it has another id in the tailnet, or is not owned by it", ""},
    {"of another tailnet", [](DeviceClaim&, TailnetDevice& d) { d.is_external = true; },
     "it has another id in the tailnet, or is not owned by it", ""},
};

TEST(OwnDevicesProve, ADeviceIsTheReplicasByItsTagsAndItsHostname) {
    for (const OwnDeviceCase& one : kOwnDeviceCases) {
        SCOPED_TRACE(one.name);
        DeviceClaim claim = kClaim;
        TailnetDevice device = kDevice;
        one.change(claim, device);
        const Proof proof = prove(claim, device, "");
        EXPECT_EQ(proof.objection, one.objection);
        EXPECT_EQ(proof.tags, one.tags);
    }
    EXPECT_EQ(prove(kClaim, kDevice, "b-0").objection, "Secret \"b-0\" also names it");
}

class OwnDevicesTest : public ControllerTest {
protected:
    // Adds a device that is neither the controller's nor a proxy's.
    void add_victim(const std::string& hostname = "laptop", const std::string& tag = "tag:laptop") {
        tailnet.devices["nVICTIM"] = {"nVICTIM", hostname, "", hostname, {tag}};
    }
    void expect_victim_as_it_was(const std::string& tag = "tag:laptop") {
        ASSERT_TRUE(tailnet.devices.contains("nVICTIM"));
        EXPECT_EQ(tailnet.devices.at("nVICTIM").tags, std::vector<std::string>{tag});
    }
    // Names a device in the pod's state Secret, as the pod may do.
    void name_device(const std::string& pod, const std::string& device) {
        kube.set_datum(secret(pod), "device_id", device);
    }
    // Fails requests for a device while `is_away`, which must outlive the test's last request.
    void hide_devices(const bool& is_away) {
        network.fault = [&is_away](const HttpRequest& request) {
            const bool looks =
                request.method == "GET" && request.url.find("/device/") != std::string::npos;
            return is_away && looks ? Fault::Busy : Fault::None;
        };
    }
    void annotate_state(const std::string& pod, std::string_view key, std::string_view value) {
        Value state = kube.find(secret(pod))->clone();
        state.find("metadata")->find("annotations")->put(Value(key), Value(value));
        kube.put(secret(pod), std::move(state));
    }
    // Returns the latest message of the Events with this reason.
    std::string event(std::string_view reason) {
        std::string words;
        for (const char* ns : {"tailscale", "apps", "default"}) {
            for (const std::string& path :
                 kube.paths_below(fmt::format("/api/v1/namespaces/{}/events", ns))) {
                const Value& found = *kube.find(path);
                if (text_of(found.find("reason")) == reason) {
                    words = fmt::format("{}: {}", text_of(found.at({"involvedObject", "name"})),
                                        text_of(found.find("message")));
                }
            }
        }
        return words;
    }
    [[nodiscard]] std::ptrdiff_t looks() const {
        return std::ranges::count_if(network.log, [](const auto& sent) {
            return sent.method == "GET" && sent.url.find("/device/") != std::string::npos;
        });
    }
};

TEST_F(OwnDevicesTest, ADeviceThatAPodMerelyNamesIsNeitherTaggedNorDeleted) {
    cluster.add_proxy("a");
    start();
    run(kMinute);
    const std::string own = device_of("a-0");
    add_victim();
    network.log.clear();
    name_device("a-0", "nVICTIM");
    run(10 * kSecond);
    EXPECT_EQ(event("CannotNoteDevice"),
              "a: a-0: its state Secret names device \"nVICTIM\" (laptop.tail1a2b3.ts.net), which "
              "is not proven to be its own: it has the tags \"tag:laptop\", expected \"tag:k8s\"; "
              "it is neither tagged nor deleted: fix this in the tailnet's admin console if it is "
              "the proxy's, otherwise delete Secret \"a-0\" and then the pod");
    run(std::chrono::hours(1));
    EXPECT_LE(looks(), 60) << "with a pause that grows to two minutes";
    cluster.add_proxy("a", 1, "tag:web");
    run(10 * kMinute);
    EXPECT_EQ(tailnet.devices.at(own).tags, std::vector<std::string>{"tag:web"});
    name_device("a-0", "nELSE");
    run(10 * kMinute);
    expect_victim_as_it_was();
    name_device("a-0", "nVICTIM");
    cluster.remove_proxy("a");
    run(20 * kMinute);
    expect_victim_as_it_was();
    EXPECT_EQ(event("DeviceNotDeleted"),
              "a: a-0: device \"nVICTIM\", which its Secrets name, is kept: it has the tags "
              "\"tag:laptop\", expected \"tag:web\"");
    EXPECT_FALSE(tailnet.devices.contains(own));
}

TEST_F(OwnDevicesTest, ADeviceThatIsNotNotedYetIsNotForgottenWithItsStateSecret) {
    bool is_away = true;
    hide_devices(is_away);
    cluster.add_proxy("a");
    start();
    run(kMinute);
    EXPECT_EQ(tailnet.devices.size(), 1U);
    cluster.remove_proxy("a");
    kube.erase(secret("a-0"));
    run(kMinute);
    is_away = false;
    run(20 * kMinute);
    EXPECT_TRUE(tailnet.devices.empty());
}

// A device that a pod names can still be noted for another replica.
TEST_F(OwnDevicesTest, ADeviceIsNotedForItsReplicaWhoeverElseNamesIt) {
    bool is_away = true;
    hide_devices(is_away);
    cluster.add_proxy("a");
    cluster.add_proxy("b");
    start();
    run(kMinute);
    const std::string device = device_of("b-0");
    name_device("a-0", device);
    is_away = false;
    run(5 * kMinute);
    EXPECT_EQ(kube.find(secret("b-0-auth"))
                  ->at({"metadata", "annotations", renderer::kDeviceAnnotation})
                  ->text(),
              device);
    EXPECT_EQ(kube.datum(secret("b-0-auth"), "authkey"), "");
}

// A process that is killed at any point is followed by one that asks the tailnet itself.
TEST_F(OwnDevicesTest, ADeviceThatAPodMerelyNamesStaysWhateverProcessLooks) {
    cluster.add_proxy("a");
    start();
    run(kMinute);
    const std::string own = device_of("a-0");
    add_victim();
    name_device("a-0", "nVICTIM");
    for (std::uint64_t life = 1; life <= 20; ++life) {
        process.reset();
        start(life);
        run(Duration(100 * life));
    }
    expect_victim_as_it_was();
    EXPECT_TRUE(tailnet.devices.contains(own));
    name_device("a-0", own);
    cluster.add_proxy("a", 1, "tag:web");
    run(5 * kMinute);
    EXPECT_EQ(tailnet.devices.at(own).tags, std::vector<std::string>{"tag:web"});
    expect_victim_as_it_was();
}

// Many devices have these tags.
TEST_F(OwnDevicesTest, ADeviceOfAnotherClusterIsNotTheProxysForItsTags) {
    cluster.add_proxy("a");
    start();
    run(kMinute);
    add_victim("b-0", "tag:k8s");
    name_device("a-0", "nVICTIM");
    run(kMinute);
    name_device("a-0", "nELSE");
    run(kMinute);
    expect_victim_as_it_was("tag:k8s");
    EXPECT_NE(kube.find(secret("a-0-auth"))
                  ->at({"metadata", "annotations", renderer::kDeviceAnnotation})
                  ->text(),
              "nELSE")
        << "whatever it is";
}

// Without the StatefulSet, the hostname is known from the controller's notes.
TEST_F(OwnDevicesTest, ADeviceWithTheTagsOfADeletedProxyStays) {
    cluster.add_proxy("a");
    start();
    run(kMinute);
    const std::string own = device_of("a-0");
    add_victim("b-0", "tag:k8s");
    cluster.remove_proxy("a");
    name_device("a-0", "nVICTIM");
    run(10 * kMinute);
    expect_victim_as_it_was("tag:k8s");
    EXPECT_FALSE(tailnet.devices.contains(own));
    EXPECT_EQ(
        event("DeviceNotDeleted"),
        "tailrender-devices: a-0: device \"nVICTIM\", which its Secrets name, is kept: it has "
        "the hostname \"b-0\", expected \"a-0\"");
}

TEST_F(OwnDevicesTest, ADeviceOfAProxyOfWhichNothingIsNotedStays) {
    cluster.add_proxy("a");
    start();
    run(kMinute);
    add_victim("b-0", "tag:k8s");
    cluster.remove_proxy("a");
    kube.erase(secret("a-0-auth"));
    name_device("a-0", "nVICTIM");
    run(20 * kMinute);
    expect_victim_as_it_was("tag:k8s");
    EXPECT_NE(event("DeviceNotDeleted").find("only its state Secret says which tailnet"),
              std::string::npos)
        << event("DeviceNotDeleted");
}

// A pod may write the annotation on its own state Secret.
TEST_F(OwnDevicesTest, APodCannotMoveItsProxyToAnotherTailnet) {
    FakeTailnet partner{loop};
    network.add("https://partner", partner);
    cluster.add_tailnet("partner", "https://partner", partner);
    partner.devices["nVICTIM"] = {"nVICTIM", "a-0", "", "a-0", {"tag:k8s"}};
    cluster.add_proxy("a");
    start();
    run(kMinute);
    const std::string own = device_of("a-0");
    annotate_state("a-0", renderer::kTailnetAnnotation, "partner");
    name_device("a-0", "nVICTIM");
    run(10 * kMinute);
    cluster.remove_proxy("a");
    run(20 * kMinute);
    EXPECT_TRUE(partner.devices.contains("nVICTIM"));
    EXPECT_TRUE(partner.keys.empty());
    EXPECT_FALSE(tailnet.devices.contains(own)) << "the one that was noted goes";
}

// Nor may it choose its StatefulSet.
TEST_F(OwnDevicesTest, APodCannotClaimAnotherStatefulSet) {
    cluster.add_proxy("a");
    cluster.add_proxy("b", 1, "tag:web");
    start();
    run(kMinute);
    const std::string own = device_of("a-0");
    annotate_state("a-0", renderer::kSetAnnotation, "b");
    run(kMinute);
    EXPECT_EQ(tailnet.devices.at(own).tags, std::vector<std::string>{"tag:k8s"});
    cluster.remove_proxy("a");
    run(kMinute / 2);
    EXPECT_EQ(tailnet.usable_keys(), std::vector<std::string>());
    run(10 * kMinute);
    EXPECT_FALSE(tailnet.devices.contains(own));
    expect_converged({"b-0"});
}

TEST_F(OwnDevicesTest, ADeviceOfAnotherProxyStaysThatOnes) {
    cluster.add_proxy("a");
    cluster.add_proxy("b");
    start();
    run(kMinute);
    const std::string device = device_of("b-0");
    name_device("a-0", device);
    run(kMinute);
    EXPECT_NE(event("CannotNoteDevice").find("Secret \"b-0-auth\" also names it"),
              std::string::npos)
        << event("CannotNoteDevice");
    cluster.remove_proxy("a");
    run(10 * kMinute);
    EXPECT_TRUE(tailnet.devices.contains(device));
    EXPECT_EQ(tailnet.devices.size(), 1U);
}

TEST_F(OwnDevicesTest, ANewProxyCannotBeginWithTheDeviceOfAnother) {
    add_victim();
    cluster.add_proxy("a");
    bool lies = false;
    network.fault = [&](const HttpRequest& request) {
        if (!lies && request.method == "POST" && request.url.ends_with("/secrets") &&
            request.body.find("a-0-auth") != std::string::npos) {
            lies = true;
            kube.set_datum(secret("a-0"), "device_id", "nVICTIM");
        }
        return Fault::None;
    };
    start();
    run(Duration(200));
    EXPECT_TRUE(lies);
    name_device("a-0", "nVICTIM");
    cluster.remove_proxy("a");
    run(10 * kMinute);
    expect_victim_as_it_was();
}

TEST_F(OwnDevicesTest, AMoveToAnotherTailnetTakesNoDeviceAlong) {
    FakeTailnet partner{loop};
    network.add("https://partner", partner);
    cluster.add_tailnet("partner", "https://partner", partner);
    cluster.add_proxy("a");
    start();
    run(kMinute);
    const std::string own = device_of("a-0");
    add_victim();
    name_device("a-0", "nVICTIM");
    cluster.annotate("a", renderer::kTailnetAnnotation, "partner");
    run(5 * kMinute);
    expect_victim_as_it_was();
    EXPECT_FALSE(tailnet.devices.contains(own));
    EXPECT_EQ(partner.devices.size(), 1U);
}

// The state was moved by `adopt`, or copied by a user.
TEST_F(OwnDevicesTest, AStateThatWasMovedBringsItsDeviceAlong) {
    cluster.add_operator_proxy("ts-web-qwxyz", "web");
    cluster.add_proxy("ts-web-abcde", 1, "tag:k8s", "web");
    start();
    run(kMinute);
    bring_state("ts-web-abcde", "ts-web-qwxyz");
    process->kube.erase(
        FakeCluster::path("statefulsets", "ts-web-qwxyz"), {}, [](const kube::Reply&) {},
        "Foreground");
    run(kMinute);
    const Value* notes = kube.find(secret("ts-web-abcde-0-auth"))->at({"metadata", "annotations"});
    EXPECT_EQ(notes->find(renderer::kDeviceAnnotation)->text(), "nOLD-web");
    EXPECT_EQ(notes->find(renderer::kDeviceTagsAnnotation)->text(), "tag:k8s");
    EXPECT_EQ(looks(), 1);
    cluster.add_proxy("ts-web-abcde", 1, "tag:web", "web");
    run(kMinute);
    EXPECT_EQ(tailnet.devices.at("nOLD-web").tags, std::vector<std::string>{"tag:web"});
}

TEST_F(OwnDevicesTest, ANameThatIsFreeAgainIsNoProof) {
    take_over_tag = "tag:one";
    cluster.add_proxy("a", 1, "tag:k8s,tag:one");
    start();
    run(kMinute);
    const std::string own = device_of("a-0");
    add_victim("laptop", "tag:one");
    name_device("a-0", "nVICTIM");
    run(kMinute);
    kube.erase(secret("a-0"));
    kube.erase(secret("a-0-auth"));
    cluster.restart_pod("a-0");
    run(10 * kMinute);
    expect_victim_as_it_was("tag:one");
}

TEST_F(OwnDevicesTest, ADeviceIsAskedForOnceWhenItJoins) {
    cluster.add_proxy("a", 3);
    start();
    run(10 * kMinute);
    expect_converged({"a-0", "a-1", "a-2"});
    EXPECT_EQ(looks(), 3);
    network.log.clear();
    cluster.restart_pod("a-0");
    run(10 * kMinute);
    process.reset();
    start(2);
    run(10 * kMinute);
    EXPECT_EQ(looks(), 0);
}

TEST_F(OwnDevicesTest, ADeviceThatCannotBeReadIsNotNoted) {
    cluster.add_proxy("a");
    tailnet.may_read_devices = false;
    start();
    run(kMinute);
    EXPECT_EQ(event("CannotNoteDevice"),
              "a: a-0: cannot read device \"" + device_of("a-0") +
                  "\": calling actor does not have enough permissions to perform this function "
                  "(HTTP status 403): OAuth client \"id\" needs the scope \"devices:core\"");
    tailnet.may_read_devices = true;
    run(5 * kMinute);
    expect_converged({"a-0"});
}

// A request to delete it may wait for minutes, and each attempt checks again.
TEST_F(OwnDevicesTest, AProxyThatIsBackKeepsItsDeviceHoweverLongItsRemovalHasWaited) {
    cluster.add_proxy("a");
    start();
    run(kMinute);
    const std::string device = device_of("a-0");
    bool is_busy = true;
    int refused = 0;
    network.fault = [&](const HttpRequest& request) {
        const bool deletes =
            request.method == "DELETE" && request.url.find("/device/") != std::string::npos;
        refused += is_busy && deletes ? 1 : 0;
        return is_busy && deletes ? Fault::Busy : Fault::None;
    };
    cluster.remove_proxy("a");
    for (int i = 0; i < 600 && refused == 0; ++i) {
        run(kSecond);
    }
    ASSERT_GT(refused, 0);
    cluster.add_proxy("a");
    is_busy = false;
    run(10 * kMinute);
    EXPECT_TRUE(tailnet.devices.contains(device));
    expect_converged({"a-0"});
}

// The proxy was renamed, and a user has copied its state.
TEST_F(OwnDevicesTest, LeavesADeviceThatAnotherReplicaHas) {
    cluster.add_proxy("old");
    start();
    run(kMinute);
    const std::string device = device_of("old-0");
    cluster.remove_proxy("old");
    run(20 * kSecond);
    Value copy = kube.find(secret("old-0"))->clone();
    Value& metadata = *copy.find("metadata");
    metadata.put("name", "new-0");
    metadata.erase("uid");
    metadata.erase("resourceVersion");
    metadata.find("annotations")->put(Value(renderer::kSetAnnotation), "new");
    metadata.find("annotations")->erase(renderer::kGoneAnnotation);
    kube.put(secret("new-0"), std::move(copy));
    cluster.add_proxy("new");
    run(kMinute);
    ASSERT_EQ(device_of("new-0"), device);
    run(10 * kMinute);
    EXPECT_TRUE(tailnet.devices.contains(device));
    EXPECT_EQ(event("DeviceNotDeleted"),
              "tailrender-devices: old-0: device \"" + device +
                  "\", which its Secrets name, is kept: Secret \"new-0\" also names it");
    expect_converged({"new-0"});
    cluster.add_proxy("other");
    run(kMinute);
    cluster.remove_proxy("new");
    run(10 * kMinute);
    EXPECT_FALSE(tailnet.devices.contains(device)) << "it is the new one's now";
}

}  // namespace
}  // namespace runtime::controller
