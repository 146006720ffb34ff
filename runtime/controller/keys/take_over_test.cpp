#include "runtime/controller/keys/take_over.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/base/time_text.h"
#include "runtime/testing/controller_test.h"

namespace runtime::controller {
namespace {

using renderer::text_of;
using Fate = Judgement::Fate;

constexpr std::string_view kMark = "tag:cluster-one";
constexpr std::string_view kTags = "tag:k8s,tag:cluster-one";
constexpr std::string_view kList = "https://tailnet/api/v2/tailnet/-/devices";

const Time kNow = *parse_time("2026-11-21T12:00:00Z");
const NameClaim kNameClaim{.pod = "a-0",
                           .parent = "Service/apps/a",
                           .tailnet = "",
                           .hostname = "apps-a",
                           .tags = {"tag:k8s", "tag:cluster-one"}};

struct TakeOverCase {
    const char* device;
    Fate fate;
    const char* why;
};

TEST(TakeOverJudge, WhatIsNotKnownCountsAgainstTheDevice) {
    const TakeOverCase cases[] = {
        {R"("lastSeen":"2026-11-21T11:55:00Z","connectedToControl":false)", Fate::Delete, ""},
        {R"("lastSeen":"2026-11-21T11:55:01Z","connectedToControl":false)", Fate::Wait,
         "was online at 2026-11-21T11:55:01Z"},
        {R"("lastSeen":"2026-11-21T12:04:00Z","connectedToControl":false)", Fate::Wait,
         "was online at 2026-11-21T12:04:00Z"},
        {R"("lastSeen":"2027-11-21T12:00:00Z","connectedToControl":false)", Fate::Leave,
         "was last seen in the future"},
        {R"("lastSeen":"2020-01-01T00:00:00Z","connectedToControl":true)", Fate::Leave,
         "is online"},
        {R"("connectedToControl":true)", Fate::Leave, "is online"},
        {R"("lastSeen":"2020-01-01T00:00:00Z")", Fate::Leave,
         "may be online: the tailnet does not report it"},
        {R"("lastSeen":"2020-01-01T00:00:00Z","connectedToControl":"false")", Fate::Leave,
         "may be online: the tailnet does not report it"},
        {R"("connectedToControl":false)", Fate::Leave,
         "may be online: the tailnet does not report it"},
        {R"("lastSeen":"long ago","connectedToControl":false)", Fate::Leave,
         "may be online: the tailnet does not report it"}};
    for (const auto& [fields, fate, why] : cases) {
        SCOPED_TRACE(fields);
        const auto object = renderer::read_json(fmt::format(
            R"({{"nodeId":"n1","name":"apps-a.x.ts.net","hostname":"apps-a","tags":["tag:k8s","tag:cluster-one"],{}}})",
            fields));
        ASSERT_TRUE(object.has_value());
        const Judgement found = judge(decode_tailnet_device(*object), kNameClaim, kMark, "", kNow);
        EXPECT_EQ(found.fate, fate);
        EXPECT_EQ(found.why, why);
    }
}

TEST(TakeOverJudge, OnlyADeviceOfThisClusterThatNoOneHas) {
    const TailnetDevice good{.id = "n1",
                             .name = "apps-a.x.ts.net",
                             .hostname = "apps-a",
                             .tags = {"tag:cluster-one", "tag:k8s"},
                             .is_online = false,
                             .last_seen = kNow - std::chrono::hours(1)};
    EXPECT_EQ(judge(good, kNameClaim, kMark, "", kNow).fate, Fate::Delete);
    EXPECT_EQ(judge(good, kNameClaim, kMark, "b-0", kNow).why, "belongs to Secret \"b-0\"");
    TailnetDevice device = good;
    device.tags = {"tag:k8s"};
    EXPECT_EQ(judge(device, kNameClaim, kMark, "", kNow).why,
              "does not have the tag \"tag:cluster-one\"");
    device.tags = {};
    EXPECT_EQ(judge(device, kNameClaim, kMark, "", kNow).fate, Fate::Leave);
    device.tags = {"tag:cluster-one"};
    EXPECT_EQ(judge(device, kNameClaim, kMark, "", kNow).why, "has other tags: tag:cluster-one");
    device.tags = {"tag:cluster-one", "tag:k8s", "tag:more"};
    EXPECT_EQ(judge(device, kNameClaim, kMark, "", kNow).fate, Fate::Leave);
    device = good;
    device.hostname = "laptop";  // a user has renamed it
    EXPECT_EQ(judge(device, kNameClaim, kMark, "", kNow).why, "has the hostname \"laptop\"");
    device = good;
    device.id.clear();
    EXPECT_EQ(judge(device, kNameClaim, kMark, "", kNow).fate, Fate::Leave);
}

TEST(TakeOverJudge, TheHolderIsTheOneWithTheName) {
    const std::vector<TailnetDevice> devices = {
        {.id = "n1", .name = "apps-a-1.x.ts.net", .hostname = "apps-a", .tags = {}},
        {.id = "n3",
         .name = "apps-a.other.ts.net",
         .hostname = "apps-a",
         .tags = {},
         .is_external = true},
        {.id = "n2", .name = "apps-a.x.ts.net", .hostname = "apps-a", .tags = {}}};
    ASSERT_NE(holder_of(devices, "apps-a"), nullptr);
    EXPECT_EQ(holder_of(devices, "apps-a")->id, "n2");
    EXPECT_EQ(holder_of(devices, "Apps-A")->id, "n2");
    EXPECT_EQ(holder_of(devices, "apps"), nullptr);
    const auto shared = renderer::read_json(R"({"isExternal":true})");
    EXPECT_TRUE(decode_tailnet_device(*shared).is_external);
}

class TakeOverTest : public ControllerTest {
protected:
    TakeOverTest() { take_over_tag = kMark; }

    // Adds a device of a cluster that was deleted.
    FakeTailnet::Device& leave_device(const std::string& name) {
        return tailnet.devices["nOLD-" + name] = {.id = "nOLD-" + name,
                                                  .hostname = name,
                                                  .key = "",
                                                  .name = name,
                                                  .tags = {"tag:cluster-one", "tag:k8s"},
                                                  .is_online = false,
                                                  .last_seen = loop.now() - std::chrono::hours(1)};
    }
    void add_proxy(const std::string& name) { cluster.add_proxy(name, 1, std::string(kTags)); }
    std::string name_of(const std::string& pod) {
        const auto device = tailnet.devices.find(device_of(pod));
        return device == tailnet.devices.end() ? "" : device->second.name;
    }
    [[nodiscard]] std::size_t lists() const {
        return static_cast<std::size_t>(
            std::ranges::count(network.log, kList, &FakeNetwork::Sent::url));
    }
    std::vector<std::string> events() {
        std::vector<std::string> said;
        for (const std::string& path : kube.paths_below("/api/v1/namespaces/apps/events")) {
            const auto& event = *kube.find(path);
            said.push_back(fmt::format("{} {} {}: {}", text_of(event.find("type")),
                                       text_of(event.at({"involvedObject", "name"})),
                                       text_of(event.find("reason")),
                                       text_of(event.find("message"))));
        }
        return said;
    }
    void expect_left(const std::string& why) {
        start();
        run(kMinute);
        EXPECT_TRUE(tailnet.devices.contains("nOLD-a-0"));
        EXPECT_EQ(name_of("a-0"), "a-0-1");
        EXPECT_EQ(events(), std::vector<std::string>{"Warning a DeviceNotTakenOver: a-0: no device "
                                                     "is taken over for the name \"a-0\": " +
                                                     why});
    }
};

TEST_F(TakeOverTest, IsOffUnlessThereIsAMark) {
    take_over_tag.clear();
    leave_device("a-0");
    add_proxy("a");
    start();
    run(kMinute);
    EXPECT_EQ(name_of("a-0"), "a-0-1");
    EXPECT_EQ(lists(), 0U);
    EXPECT_TRUE(events().empty());
}

TEST_F(TakeOverTest, ANewDeviceGetsTheNameOfTheOneThatWasLeft) {
    leave_device("a-0");
    add_proxy("a");
    start();
    run(kMinute);
    EXPECT_EQ(name_of("a-0"), "a-0");
    expect_converged({"a-0"});
    ASSERT_EQ(events().size(), 1U);
    EXPECT_EQ(events()[0].substr(0, events()[0].find("since")),
              "Normal a DeviceTakenOver: a-0: device \"nOLD-a-0\" (a-0.tail1a2b3.ts.net) was "
              "deleted to free its name: it had the tag \"tag:cluster-one\" and was offline ");
}

TEST_F(TakeOverTest, LooksOnlyBeforeTheFirstKey) {
    add_proxy("a");
    start();
    run(kMinute);
    EXPECT_EQ(lists(), 1U);
    cluster.restart_pod("a-0");
    run(std::chrono::hours(24));
    tailnet.devices.clear();
    cluster.restart_pod("a-0");
    run(kMinute);
    expect_converged({"a-0"});
    start(2);
    run(kMinute);
    EXPECT_EQ(lists(), 1U);
}

TEST_F(TakeOverTest, AProxyWithoutTheMarkTakesNothing) {
    leave_device("a-0").tags = {"tag:k8s"};
    cluster.add_proxy("a");
    start();
    run(kMinute);
    EXPECT_EQ(name_of("a-0"), "a-0-1");
    EXPECT_EQ(lists(), 0U);
}

TEST_F(TakeOverTest, LeavesADeviceThatIsOnline) {
    leave_device("a-0").is_online = true;
    add_proxy("a");
    expect_left("device \"nOLD-a-0\" (a-0.tail1a2b3.ts.net) is online");
}

TEST_F(TakeOverTest, LeavesADeviceWithoutTheMark) {
    leave_device("a-0").tags = {"tag:k8s"};
    add_proxy("a");
    expect_left(
        "device \"nOLD-a-0\" (a-0.tail1a2b3.ts.net) does not have the tag \"tag:cluster-one\"");
}

// The device was offline in the list.
TEST_F(TakeOverTest, LeavesADeviceThatComesBackMeanwhile) {
    auto& device = leave_device("a-0");
    add_proxy("a");
    network.fault = [&device](const HttpRequest& request) {
        device.is_online = device.is_online || request.url.ends_with("/device/nOLD-a-0");
        return Fault::None;
    };
    expect_left("device \"nOLD-a-0\" (a-0.tail1a2b3.ts.net) is online");
}

TEST_F(TakeOverTest, LeavesADeviceOfThisCluster) {
    add_proxy("b");
    start();
    run(kMinute);
    auto& device = tailnet.devices.at(device_of("b-0"));
    device.hostname = device.name = "a-0";
    device.is_online = false;
    device.last_seen = loop.now() - std::chrono::hours(1);
    add_proxy("a");
    run(kMinute);
    EXPECT_EQ(name_of("a-0"), "a-0-1");
    ASSERT_EQ(events().size(), 1U);
    EXPECT_TRUE(events()[0].ends_with("(a-0.tail1a2b3.ts.net) belongs to Secret \"b-0\""))
        << events()[0];
}

TEST_F(TakeOverTest, LeavesAllWhenItMayNotSeeThem) {
    tailnet.may_read_devices = false;
    leave_device("a-0");
    add_proxy("a");
    start();
    run(kMinute);
    EXPECT_EQ(name_of("a-0"), "a-0-1");
    const std::vector<std::string> said = events();
    EXPECT_EQ(said.size(), 2U) << "nor can its own device be read";
    EXPECT_EQ(
        std::ranges::count(
            said,
            "Warning a DeviceNotTakenOver: a-0: no device is taken over for the name \"a-0\": "
            "cannot list the tailnet's devices: calling actor does not have enough "
            "permissions to perform this function (HTTP status 403): OAuth client \"id\" needs "
            "the scope \"devices:core\""),
        1);
}

TEST_F(TakeOverTest, WaitsForTheListAndForTheDeviceToBeOfflineLongEnough) {
    leave_device("a-0").last_seen = loop.now();
    add_proxy("a");
    bool is_down = true;
    network.fault = [&is_down](const HttpRequest& request) {
        return is_down && request.url == kList ? Fault::Broken : Fault::None;
    };
    start();
    run(kMinute);
    EXPECT_TRUE(tailnet.keys.empty());
    is_down = false;
    run(3 * kMinute);
    EXPECT_TRUE(tailnet.keys.empty());
    EXPECT_TRUE(tailnet.devices.contains("nOLD-a-0"));
    run(4 * kMinute);
    EXPECT_EQ(name_of("a-0"), "a-0");
    expect_converged({"a-0"});
}

// One list is used for all requests within a few seconds; the requests respect their rate limit.
TEST_F(TakeOverTest, AWholeClusterComesBackWithItsNames) {
    constexpr int kProxies = 200;
    for (int i = 0; i < kProxies; ++i) {
        leave_device(fmt::format("p{}-0", i));
        add_proxy(fmt::format("p{}", i));
    }
    start();
    run(3 * kMinute);
    std::set<std::string> pods;
    for (int i = 0; i < kProxies; ++i) {
        const std::string pod = fmt::format("p{}-0", i);
        EXPECT_EQ(name_of(pod), pod);
        pods.insert(pod);
    }
    expect_converged(pods);
    EXPECT_LE(lists(), 10U);
    EXPECT_EQ(std::ranges::count_if(network.log,
                                    [](const auto& sent) {
                                        return sent.method == "POST" &&
                                               sent.url.ends_with("/tailnet/-/keys");
                                    }),
              kProxies);
}

// The process ends after each of the first requests, and starts again.
TEST_F(TakeOverTest, MayEndAtAnyPoint) {
    for (int life = 1; life <= 40; ++life) {
        leave_device("a-0").last_seen = loop.now() - std::chrono::hours(1);
        add_proxy("a");
        start(static_cast<std::uint64_t>(life));
        run(Duration(life * 2));
        process.reset();
        start(static_cast<std::uint64_t>(life));
        run(3 * kMinute);
        EXPECT_EQ(name_of("a-0"), "a-0") << life;
        expect_converged({"a-0"});
        cluster.remove_proxy("a");
        run(7 * kMinute);
        ASSERT_TRUE(tailnet.devices.empty());
    }
}

}  // namespace
}  // namespace runtime::controller
