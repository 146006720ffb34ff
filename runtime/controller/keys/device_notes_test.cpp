#include "runtime/controller/keys/device_notes.h"

#include <algorithm>
#include <map>
#include <string>

#include "renderer/contract/annotations.h"
#include "renderer/contract/auth_secret.h"
#include "runtime/testing/status_test.h"

namespace runtime::controller {
namespace {

using renderer::text_of;
using renderer::Value;

class DeviceNotesTest : public StatusTest {
protected:
    static constexpr const char* kTruth =
        R"({"loadBalancer":{"ingress":[{"hostname":"web-0.tail1a2b3.ts.net"},{"ip":"100.64.0.1"}]},)"
        R"("conditions":[{"type":"TailscaleProxyReady","status":"True","reason":"ProxyCreated",)"
        R"("message":"ProxyCreated"}]})";

    void add_web() {
        add_service(
            R"({"type":"LoadBalancer","loadBalancerClass":"tailscale","clusterIPs":["10.0.0.7"]})");
        cluster.add_proxy("web");
    }
    void say(const std::string& pod, const std::string& key, const std::string& value) {
        kube.set_datum(secret(pod), key, value);
    }
    void rename(const std::string& pod, const std::string& name) {
        tailnet.devices.at(device_of(pod)).name = name;
        say(pod, "device_fqdn", name + ".tail1a2b3.ts.net.");
    }
    // Removes the notes, as an earlier version would not have written them.
    void forget_notes(const std::string& pod) {
        Value auth = kube.find(secret(pod + "-auth"))->clone();
        for (const std::string_view key :
             {renderer::kDeviceNameAnnotation, renderer::kDeviceAddressesAnnotation,
              renderer::kDeviceWordsAnnotation}) {
            auth.find("metadata")->find("annotations")->erase(key);
        }
        kube.put(secret(pod + "-auth"), std::move(auth));
    }
    std::string table() {
        const Value& ledger = *kube.find(FakeCluster::path("configmaps", "tailrender-devices"));
        return std::string(text_of(ledger.at({"data", "devices.jsonl"})));
    }
    [[nodiscard]] std::size_t looks() const {
        std::size_t count = 0;
        for (const auto& sent : network.log) {
            const bool looks =
                sent.method == "GET" && sent.url.find("/device/") != std::string::npos;
            count += looks ? 1U : 0U;
        }
        return count;
    }
};

// Otherwise every node would send the traffic for that address to the proxy.
TEST_F(DeviceNotesTest, AnAddressThatAPodMerelySaysIsPublishedNowhere) {
    add_web();
    start();
    run(2 * kMinute);
    ASSERT_EQ(status(service_path()), kTruth);
    say("web-0", "device_ips", R"(["10.0.0.53","100.64.0.1"])");
    say("web-0", "device_fqdn", "kubernetes.default.svc.");
    run(2 * kMinute);
    EXPECT_EQ(status(service_path()), kTruth);
    EXPECT_EQ(table().find("10.0.0.53"), std::string::npos) << table();
    EXPECT_EQ(table().find("kubernetes"), std::string::npos) << table();
    EXPECT_EQ(events("apps"),
              (std::vector<std::string>{
                  "Service DeviceMisdescribed: web-0: its state Secret gives device \"" +
                  device_of("web-0") +
                  "\" a name or an address that it does not have in the tailnet; the values of the "
                  "tailnet are published: web-0.tail1a2b3.ts.net, 100.64.0.1,fd7a:115c:a1e0::1"}));
}

TEST_F(DeviceNotesTest, APodThatSaysSomethingNewAllTheTimeIsAskedAboutOnceAMinute) {
    add_web();
    start();
    run(2 * kMinute);
    network.log.clear();
    for (int i = 0; i < 600; ++i) {
        say("web-0", "device_ips", R"(["10.0.0.)" + std::to_string(i % 250) + "\"]");
        run(kSecond);
    }
    EXPECT_LE(looks(), 11U);
    EXPECT_EQ(status(service_path()), kTruth);
}

// Nor are such addresses removed from another Service when the pod is deleted.
TEST_F(DeviceNotesTest, PlacesThatAPodMerelyNamesStayWithTheOnesWhoHaveThem) {
    const std::string theirs = "/api/v1/namespaces/apps/services/theirs";
    put(theirs, "theirs", "apps", R"({"type":"LoadBalancer"})");
    const std::string addresses =
        R"({"loadBalancer":{"ingress":[{"ip":"192.0.2.1"},{"hostname":"lb.example.com"}]}})";
    put_status(theirs, addresses);
    cluster.add_proxy("web");
    start();
    run(kMinute);
    say("web-0", "device_ips", R"(["192.0.2.1"])");
    say("web-0", "device_fqdn", "lb.example.com.");
    say("web-0", "https_endpoint", "lb.example.com");
    run(kMinute);
    cluster.remove_proxy("web");
    run(10 * kMinute);
    EXPECT_EQ(status(theirs), addresses);
}

TEST_F(DeviceNotesTest, AnIngressGetsTheTailnetsNameWhileThePodServesHttps) {
    const std::string path = start_with_ingress();
    const std::string truth = R"({"loadBalancer":{"ingress":[{"hostname":"web-0.tail1a2b3.ts.net",)"
                              R"("ports":[{"port":443,"protocol":"TCP"}]}]}})";
    EXPECT_EQ(status(path), truth);
    say("web-0", "https_endpoint", "bank.example.com");
    run(2 * kMinute);
    EXPECT_EQ(status(path), truth);
    for (const char* none : {"no-https", ""}) {
        say("web-0", "https_endpoint", none);
        run(kMinute);
        EXPECT_EQ(status(path), "{}") << none;
    }
}

TEST_F(DeviceNotesTest, APodThatFlipsItsWordsMakesFewWrites) {
    add_web();
    cluster.add_proxy("other");
    start();
    run(2 * kMinute);
    const std::string own = device_of("web-0");
    const std::string other = device_of("other-0");
    std::map<std::string, int> writes;
    const auto begin = static_cast<std::ptrdiff_t>(network.log.size());
    for (int i = 0; i < 200; ++i) {
        say("web-0", "device_id", i % 2 == 0 ? other : own);
        run(kSecond / 10);
    }
    for (auto sent = network.log.begin() + begin; sent != network.log.end(); ++sent) {
        writes[sent->url] += sent->method == "PUT" ? 1 : 0;
    }
    int most = 0;
    for (const auto& [url, count] : writes) {
        EXPECT_LE(count, 5 + 20 / 2) << url;
        most = std::max(most, count);
    }
    EXPECT_GE(most, 5);
}

TEST_F(DeviceNotesTest, ADeviceThatIsNotTheReplicasIsPublishedNowhere) {
    add_web();
    start();
    run(kMinute);
    tailnet.devices["nVICTIM"] = {"nVICTIM", "laptop", "", "laptop", {"tag:laptop"}};
    say("web-0", "device_id", "nVICTIM");
    run(kMinute);
    EXPECT_NE(status(service_path()).find("ProxyFailed"), std::string::npos)
        << status(service_path());
    EXPECT_EQ(status(service_path()).find(R"("hostname")"), std::string::npos)
        << status(service_path());
    EXPECT_EQ(table().find("nVICTIM\",\"tags"), std::string::npos) << table();
    EXPECT_NE(table().find(R"("state":"waiting")"), std::string::npos) << table();
}

// The hostname of a noted device may differ, such as that of an adopted device.
TEST_F(DeviceNotesTest, ADeviceThatIsNotedNeedsNoSecondProof) {
    add_web();
    start();
    run(kMinute);
    tailnet.devices.at(device_of("web-0")).hostname = "other";
    Value auth = kube.find(secret("web-0-auth"))->clone();
    for (const std::string_view key :
         {renderer::kDeviceNameAnnotation, renderer::kDeviceWordsAnnotation}) {
        auth.find("metadata")->find("annotations")->erase(key);
    }
    kube.put(secret("web-0-auth"), std::move(auth));
    run(kMinute);
    EXPECT_NE(status(service_path()).find(R"("hostname":"web-0.tail1a2b3.ts.net")"),
              std::string::npos)
        << status(service_path());
    EXPECT_TRUE(events("apps").empty());
}

TEST_F(DeviceNotesTest, ADeviceThatIsRenamedIsPublishedByItsNewName) {
    add_web();
    start();
    run(2 * kMinute);
    rename("web-0", "shop");
    run(10 * kSecond);
    EXPECT_NE(status(service_path()).find(R"("hostname":"shop.tail1a2b3.ts.net")"),
              std::string::npos)
        << status(service_path());
    EXPECT_EQ(looks(), 2U);
    EXPECT_TRUE(events("apps").empty());
}

TEST_F(DeviceNotesTest, WhatAnEarlierVersionHasPublishedStaysUntilTheTailnetHasBeenAskedOnce) {
    add_web();
    bool is_away = false;
    network.fault = [&is_away](const HttpRequest& request) {
        const bool looks =
            request.method == "GET" && request.url.find("/device/") != std::string::npos;
        return is_away && looks ? Fault::Busy : Fault::None;
    };
    start();
    run(kMinute);
    process.reset();
    forget_notes("web-0");
    is_away = true;
    network.log.clear();
    start(2);
    run(10 * kMinute);
    EXPECT_EQ(status(service_path()), kTruth);
    is_away = false;
    run(3 * kMinute);
    EXPECT_EQ(status(service_path()), kTruth);
    network.log.clear();
    const std::size_t writes = kube.writes;
    run(std::chrono::hours(1));
    process.reset();
    start(3);
    run(std::chrono::hours(1));
    EXPECT_EQ(looks(), 0U);
    EXPECT_EQ(kube.writes, writes);
}

TEST_F(DeviceNotesTest, ADeviceThatIsNotInTheTailnetIsNotNoted) {
    add_web();
    start();
    run(kMinute);
    say("web-0", "device_id", "nELSE");
    run(kMinute);
    EXPECT_EQ(events("apps"),
              (std::vector<std::string>{
                  "Service CannotNoteDevice: web-0: its state Secret names device \"nELSE\", which "
                  "is not in the tailnet"}));
    EXPECT_EQ(table().find("nELSE\",\"tags"), std::string::npos) << table();
}

// A device that is not in one tailnet may be in another one.
TEST_F(DeviceNotesTest, ADeviceThatATailnetDoesNotHaveIsNotGoneFromAnother) {
    FakeTailnet partner{loop};
    network.add("https://partner", partner);
    cluster.add_tailnet("partner", "https://partner", partner);
    cluster.add_proxy("a");
    start();
    run(kMinute);
    const std::string own = device_of("a-0");
    Value state = kube.find(secret("a-0"))->clone();
    state.find("metadata")
        ->find("annotations")
        ->put(Value(renderer::kTailnetAnnotation), "partner");
    kube.put(secret("a-0"), std::move(state));
    kube.erase(secret("a-0-auth"));
    cluster.remove_proxy("a");
    network.log.clear();
    run(20 * kMinute);
    EXPECT_TRUE(tailnet.devices.contains(own));
    EXPECT_EQ(looks(), 0U) << "nothing that it says counts";
    EXPECT_EQ(events("tailscale"),
              (std::vector<std::string>{"ConfigMap DeviceNotDeleted: a-0: device \"" + own +
                                        "\", which its Secrets name, is kept: only its state "
                                        "Secret says which tailnet it is in"}));
    EXPECT_EQ(kube.find(secret("a-0")), nullptr);
}

TEST_F(DeviceNotesTest, AMoveToAnotherTailnetSaysNothingOfWhatItHasDeleted) {
    FakeTailnet partner{loop};
    network.add("https://partner", partner);
    cluster.add_tailnet("partner", "https://partner", partner);
    cluster.add_proxy("a");
    start();
    run(kMinute);
    cluster.annotate("a", renderer::kTailnetAnnotation, "partner");
    run(5 * kMinute);
    EXPECT_TRUE(tailnet.devices.empty());
    EXPECT_EQ(partner.devices.size(), 1U);
    EXPECT_TRUE(events("tailscale").empty());
    EXPECT_TRUE(events("apps").empty());
}

TEST(DeviceNotes, WhatAPodLeavesOutContradictsNothing) {
    const DeviceNotes notes{.name = "web.tail1.ts.net", .addresses = "100.64.0.1,fd7a::1"};
    StateSecret state;
    state.device_id = "n1";
    EXPECT_FALSE(contradicts(state, notes));
    state.addresses = "fd7a::1";
    state.device_fqdn = "Web.tail1.ts.net.";
    state.https_endpoint = "shop.tail1.ts.net";
    EXPECT_FALSE(contradicts(state, notes));
    state.addresses = "fd7a::1,fd7a::2";
    EXPECT_TRUE(contradicts(state, notes));
    StateSecret recorder;
    recorder.node_id = "n1";
    recorder.login_name = "web.tail1.ts.net";
    EXPECT_FALSE(contradicts(recorder, notes));
    recorder.login_name = "mail.tail1.ts.net";
    EXPECT_TRUE(contradicts(recorder, notes));
}

}  // namespace
}  // namespace runtime::controller
