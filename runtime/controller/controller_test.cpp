#include "runtime/testing/controller_test.h"

#include <fmt/format.h>

#include "renderer/contract/annotations.h"

namespace runtime::controller {
namespace {

TEST_F(ControllerTest, GivesAProxyItsSecretsWithinASecond) {
    start();
    run(kSecond);
    cluster.add_proxy("ts-web-abcde");
    run(kSecond);
    ASSERT_NE(kube.find(secret("ts-web-abcde-0")), nullptr);
    ASSERT_NE(kube.find(secret("ts-web-abcde-0-auth")), nullptr);
    // The state Secret is created first, because a pod that finds only its key exits.
    std::vector<std::string> created;
    for (const auto& sent : network.log) {
        if (sent.method == "POST" && sent.url.ends_with("/secrets")) {
            created.push_back(sent.url);
        }
    }
    EXPECT_EQ(created.size(), 2U);
    EXPECT_LT(kube.find(secret("ts-web-abcde-0"))->at({"metadata", "uid"})->text(),
              kube.find(secret("ts-web-abcde-0-auth"))->at({"metadata", "uid"})->text());
    run(2 * kSecond);
    expect_converged({"ts-web-abcde-0"});
}

TEST_F(ControllerTest, GivesManyProxiesTheirSecretsWithinASecond) {
    start();
    run(kSecond);
    for (int i = 0; i < 150; ++i) {
        cluster.add_proxy(fmt::format("ts-web-{}", i));
    }
    run(kSecond);
    for (int i = 0; i < 150; ++i) {
        EXPECT_NE(kube.find(secret(fmt::format("ts-web-{}-0-auth", i))), nullptr);
    }
}

TEST_F(ControllerTest, WaitsForTheOperatorsProxyToEnd) {
    cluster.add_operator_proxy("ts-web-qwxyz", "web");
    cluster.add_proxy("ts-web-abcde", 1, "tag:k8s", "web");
    start();
    run(kMinute);
    for (const char* name : {"ts-web-abcde-0", "ts-web-abcde-0-auth"}) {
        EXPECT_EQ(kube.find(secret(name)), nullptr) << "the operator fails on " << name;
    }
    EXPECT_TRUE(tailnet.keys.empty());
    // The same holds with the state of the operator's proxy in it, until the pod of that proxy has
    // ended.
    bring_state("ts-web-abcde", "ts-web-qwxyz");
    run(kMinute);
    EXPECT_EQ(kube.find(secret("ts-web-abcde-0-auth")), nullptr);
    process->kube.erase(
        FakeCluster::path("statefulsets", "ts-web-qwxyz"), {}, [](const kube::Reply&) {},
        "Foreground");
    run(kMinute);
    EXPECT_EQ(device_of("ts-web-abcde-0"), "nOLD-web");
    EXPECT_EQ(cluster.doubles, 0);
    EXPECT_TRUE(tailnet.keys.empty());
}

TEST_F(ControllerTest, RestartedPodsKeepTheirDevice) {
    cluster.add_proxy("a");
    start();
    run(kMinute);
    const std::string device = device_of("a-0");
    cluster.restart_pod("a-0");
    run(kMinute);
    EXPECT_EQ(device_of("a-0"), device);
    EXPECT_EQ(tailnet.keys.size(), 1U);
    expect_converged({"a-0"});
}

TEST_F(ControllerTest, GivesANewKeyToAPodThatAsksForOne) {
    cluster.add_proxy("a");
    start();
    run(kMinute);
    tailnet.devices.clear();  // a user has deleted it
    cluster.restart_pod("a-0");
    run(10 * kSecond);  // not after 86 seconds: the waiting pod is deleted
    expect_converged({"a-0"});
    EXPECT_EQ(tailnet.keys.size(), 2U);
}

TEST_F(ControllerTest, ARequestCountsForNothingWhileTheNewestKeyMayStillWork) {
    cluster.add_proxy("a");
    start();
    run(kMinute);
    tailnet.devices.clear();
    cluster.restart_pod("a-0");
    // From now on every key is refused.
    for (int i = 0; i < 4 * 60 * 30; ++i) {
        run(Duration(250));
        for (auto& [id, key] : tailnet.keys) {
            key.spent = true;
        }
    }
    EXPECT_LE(tailnet.keys.size(), 1 + 30 / 3 + 1U);
}

TEST_F(ControllerTest, LostStateIsReplacedByOneNewDevice) {
    cluster.add_proxy("a");
    start();
    run(kMinute);
    const std::string device = device_of("a-0");
    kube.erase(secret("a-0"));
    cluster.restart_pod("a-0");
    run(5 * kMinute);
    EXPECT_NE(device_of("a-0"), device);
    EXPECT_EQ(tailnet.devices.at(device_of("a-0")).name, "a-0");
    expect_converged({"a-0"});
}

TEST_F(ControllerTest, NotesADeviceBeforeItsKeyIsRevoked) {
    bool is_broken = true;
    network.fault = [&is_broken](const HttpRequest& request) {
        const bool revokes =
            request.method == "DELETE" && request.url.find("/keys/") != std::string::npos;
        return revokes && is_broken ? Fault::Broken : Fault::None;
    };
    cluster.add_proxy("a");
    start();
    run(20 * kSecond);
    ASSERT_EQ(tailnet.devices.size(), 1U);
    kube.erase(secret("a-0"));
    cluster.restart_pod("a-0");
    run(20 * kSecond);
    is_broken = false;
    run(10 * kMinute);
    expect_converged({"a-0"});
}

TEST_F(ControllerTest, RemovesADeviceThatHasJoinedAtTheLastMoment) {
    cluster.add_proxy("a");
    start();
    run(kMinute);
    cluster.remove_proxy("a");
    run(4 * kMinute);
    bool has_joined = false;
    network.fault = [&](const HttpRequest& request) {
        if (request.method == "GET" && request.url.ends_with("/pods/a-0") && !has_joined) {
            has_joined = true;
            tailnet.devices["nLATE"] = tailnet.devices.begin()->second;
            tailnet.devices["nLATE"].id = "nLATE";
            kube.set_datum(secret("a-0"), "device_id", "nLATE");
        }
        return Fault::None;
    };
    run(4 * kMinute);
    EXPECT_TRUE(has_joined);
    expect_converged({});
}

TEST_F(ControllerTest, RevokesAKeyThatWasNotNeededAfterAll) {
    cluster.add_proxy("a");
    start();
    run(2 * kMinute);
    const std::string device = device_of("a-0");
    const std::string profile = kube.datum(secret("a-0"), "profile-1");
    kube.erase_datum(secret("a-0"), "profile-1");
    kube.erase_datum(secret("a-0"), "device_id");
    kube.erase(secret("a-0-auth"));
    run(kSecond);
    EXPECT_EQ(tailnet.usable_keys().size(), 1U);
    kube.set_datum(secret("a-0"), "profile-1", profile);
    kube.set_datum(secret("a-0"), "device_id", device);
    run(kSecond);
    expect_converged({"a-0"});
}

TEST_F(ControllerTest, SetsChangedTagsOnTheLiveDevice) {
    cluster.add_proxy("a", 1, "tag:k8s");
    start();
    run(kMinute);
    const std::string device = device_of("a-0");
    cluster.add_proxy("a", 1, "tag:k8s,tag:web");
    run(kMinute);
    EXPECT_EQ(device_of("a-0"), device);
    EXPECT_EQ(tailnet.devices.at(device).tags, (std::vector<std::string>{"tag:k8s", "tag:web"}));
    expect_converged({"a-0"});
}

TEST_F(ControllerTest, RemovesADeletedProxyAfterTheDelay) {
    cluster.add_proxy("a", 2);
    cluster.add_proxy("b");
    start();
    run(kMinute);
    cluster.remove_proxy("b");
    cluster.add_proxy("a", 1);
    run(4 * kMinute);
    EXPECT_EQ(tailnet.devices.size(), 3U);
    run(2 * kMinute);
    expect_converged({"a-0"});
}

TEST_F(ControllerTest, AReturningProxyKeepsItsDevice) {
    cluster.add_proxy("a");
    start();
    run(kMinute);
    const std::string device = device_of("a-0");
    cluster.remove_proxy("a");
    run(4 * kMinute);
    cluster.add_proxy("a");
    run(kMinute);
    cluster.remove_proxy("a");
    run(4 * kMinute);  // the delay has restarted
    cluster.add_proxy("a");
    run(10 * kMinute);
    EXPECT_EQ(device_of("a-0"), device);
    expect_converged({"a-0"});
}

TEST_F(ControllerTest, RemovesNothingWhenManyVanishAtOnce) {
    for (int i = 0; i < 20; ++i) {
        cluster.add_proxy("p" + std::string(1, static_cast<char>('a' + i)));
    }
    start();
    run(kMinute);
    for (int i = 0; i < 6; ++i) {
        cluster.remove_proxy("p" + std::string(1, static_cast<char>('a' + i)));
    }
    run(std::chrono::hours(2));
    EXPECT_EQ(tailnet.devices.size(), 20U);
    EXPECT_TRUE(process->controller.counts().blocks_proxies);
    cluster.add_proxy("pa");  // five are few enough
    run(10 * kMinute);
    EXPECT_EQ(tailnet.devices.size(), 15U);
}

TEST_F(ControllerTest, GoesOnWhenTheServerForgetsItsHistory) {
    cluster.add_proxy("a");
    start();
    run(kMinute);
    kube.drop_watches();
    cluster.add_proxy("b");
    kube.forget_history();
    cluster.add_proxy("c");
    run(kMinute);
    expect_converged({"a-0", "b-0", "c-0"});
}

TEST_F(ControllerTest, ReadsCredentialsAgainWhenTheyAreRefused) {
    cluster.add_proxy("a");
    start();
    run(kMinute);
    tailnet.refuse_tokens();
    cluster.add_proxy("b");
    run(kMinute);
    expect_converged({"a-0", "b-0"});
    EXPECT_EQ(tailnet.tokens, 2U);
}

TEST_F(ControllerTest, MintsNothingWhileTheOperatorServesTheSameParent) {
    cluster.add_proxy("a");
    renderer::Value old = kube.find(FakeCluster::path("statefulsets", "a"))->clone();
    old.find("metadata")->put("name", "ts-a-old");
    old.find("metadata")->erase("annotations");
    kube.put(FakeCluster::path("statefulsets", "ts-a-old"), old.clone());
    start();
    run(kMinute);
    EXPECT_EQ(tailnet.keys.size(), 0U);
    kube.erase(FakeCluster::path("statefulsets", "ts-a-old"));
    run(kMinute);
    expect_converged({"a-0"});
}

// The proxy was being adopted, and was then removed from Git again.
TEST_F(ControllerTest, LeavesTheDeviceOfARunningOperatorsProxyAlone) {
    cluster.add_operator_proxy("ts-web-qwxyz", "web");
    cluster.add_proxy("ts-web-abcde", 1, "tag:k8s", "web");
    start();
    run(kMinute);
    bring_state("ts-web-abcde", "ts-web-qwxyz");
    cluster.add_tailnet("partner", "https://tailnet", tailnet);
    cluster.annotate("ts-web-abcde", renderer::kTailnetAnnotation, "partner");
    run(kMinute);
    EXPECT_TRUE(tailnet.devices.contains("nOLD-web")) << "it shall move, too";
    cluster.remove_proxy("ts-web-abcde");
    run(20 * kMinute);
    EXPECT_TRUE(tailnet.devices.contains("nOLD-web"));
    const auto events = kube.paths_below("/api/v1/namespaces/tailscale/events");
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(
        kube.find(events[0])->at({"message"})->text(),
        "ts-web-abcde-0: the operator's StatefulSet \"ts-web-qwxyz\" still serves its parent");
    cluster.remove_proxy("ts-web-qwxyz");
    run(kMinute);
    EXPECT_EQ(kube.find(secret("ts-web-abcde-0")), nullptr);
    EXPECT_TRUE(tailnet.devices.contains("nOLD-web")) << "nothing proves that it was its own";
}

TEST_F(ControllerTest, RemovesAProxyThatWasNeverTakenOverFromTheOperator) {
    cluster.add_operator_proxy("ts-web-qwxyz", "web");
    cluster.add_proxy("ts-web-abcde", 1, "tag:k8s", "web");
    put_state("ts-web-abcde");
    start();
    run(kMinute);
    ASSERT_NE(kube.find(secret("ts-web-abcde-0")), nullptr);
    cluster.remove_proxy("ts-web-abcde");
    run(20 * kMinute);
    EXPECT_EQ(kube.find(secret("ts-web-abcde-0")), nullptr);
    EXPECT_TRUE(tailnet.devices.contains("nOLD-web"));
}

TEST_F(ControllerTest, TagsThatChangeWhileThePodJoinsReachItsDevice) {
    bool is_blind = false;  // to what the pod writes
    network.fault = [&is_blind](const HttpRequest& request) {
        const bool lists = request.url.find("/secrets?") != std::string::npos;
        return lists && is_blind ? Fault::Refused : Fault::None;
    };
    cluster.add_proxy("a", 1, "tag:k8s");
    start();
    run(Duration(100));
    ASSERT_EQ(tailnet.usable_keys().size(), 1U);
    is_blind = true;
    kube.drop_watches();
    run(kSecond);
    ASSERT_EQ(tailnet.devices.size(), 1U);
    cluster.add_proxy("a", 1, "tag:web");
    run(5 * kSecond);
    ASSERT_EQ(tailnet.keys.size(), 2U);
    is_blind = false;
    run(kMinute);
    EXPECT_EQ(tailnet.devices.at(device_of("a-0")).tags, std::vector<std::string>{"tag:web"});
    expect_converged({"a-0"});
}

class TwoTailnets : public ControllerTest {
protected:
    TwoTailnets() {
        network.add("https://partner", partner);
        cluster.add_tailnet("partner", "https://partner", partner);
        cluster.add_proxy("b");  // so that the ids of the two differ
    }
    void move(std::string_view to) { cluster.annotate("a", renderer::kTailnetAnnotation, to); }
    [[nodiscard]] std::size_t devices(const FakeTailnet& its) const {
        EXPECT_TRUE(its.usable_keys().empty());
        return its.devices.size();
    }

    FakeTailnet partner{loop};
};

TEST_F(TwoTailnets, AProxyMovesFromOneToTheOther) {
    cluster.add_proxy("a");
    start();
    run(kMinute);
    ASSERT_EQ(devices(tailnet), 2U);
    move("partner");
    run(kMinute);
    EXPECT_EQ(devices(tailnet), 1U);
    EXPECT_EQ(devices(partner), 1U);
    EXPECT_TRUE(partner.devices.contains(device_of("a-0")));
    const std::size_t writes = kube.writes;
    run(10 * kMinute);
    EXPECT_EQ(kube.writes, writes);
    move("");
    run(kMinute);
    EXPECT_EQ(devices(tailnet), 2U);
    EXPECT_EQ(devices(partner), 0U);
    EXPECT_EQ(cluster.doubles, 0);
}

TEST_F(TwoTailnets, AProxyMovesWhateverHappens) {
    RandomSource dice(5);
    cluster.add_proxy("a");
    for (std::uint64_t round = 1; round <= 20; ++round) {
        move(round % 2 == 0 ? "" : "partner");
        for (int life = 0; life < 8; ++life) {
            process.reset();
            start(round);
            run(Duration(dice.below(400)));
        }
        run(2 * kMinute);
        EXPECT_EQ(devices(tailnet), round % 2 == 0 ? 2U : 1U);
        EXPECT_EQ(devices(partner), round % 2 == 0 ? 0U : 1U);
    }
}

TEST_F(TwoTailnets, NothingIsGivenUpForATailnetThatIsNotKnown) {
    cluster.add_proxy("a");
    start();
    run(kMinute);
    const std::string device = device_of("a-0");
    move("nowhere");
    run(10 * kMinute);
    EXPECT_TRUE(tailnet.devices.contains(device));
    const auto events = kube.paths_below("/api/v1/namespaces/apps/events");
    ASSERT_EQ(events.size(), 1U);
    const renderer::Value& event = *kube.find(events[0]);
    EXPECT_EQ(event.at({"reason"})->text(), "CannotChangeTailnet");
    EXPECT_EQ(event.at({"message"})->text(),
              "a-0: ConfigMap \"tailrender-tailnet-nowhere\" is missing");
    move("");
    run(kMinute);
    EXPECT_EQ(device_of("a-0"), device);
}

TEST_F(TwoTailnets, TheDeviceOfAProxyThatHasLostItsStateIsLookedForWhereItIs) {
    cluster.add_proxy("a");
    move("partner");
    start();
    run(kMinute);
    ASSERT_EQ(devices(partner), 1U);
    cluster.remove_proxy("a");
    kube.erase(secret("a-0"));
    run(10 * kMinute);
    EXPECT_EQ(devices(partner), 0U);
    EXPECT_EQ(kube.find(secret("a-0-auth")), nullptr);
}

// Runs random changes, and restarts the controller at any point.
class Storm : public ControllerTest, public testing::WithParamInterface<std::uint64_t> {
protected:
    bool is_noted(const std::string& pod) {
        const renderer::Value* auth = kube.find(secret(pod + "-auth"));
        return auth != nullptr &&
               renderer::text_of(auth->at({"metadata", "annotations", "tailrender.dev/device"})) ==
                   device_of(pod);
    }
};

TEST_P(Storm, EndsWhereItShould) {
    RandomSource dice(GetParam());
    bool stormy = true;
    network.fault = [&](const HttpRequest& request) {
        if (!stormy || request.url.find("watch=true") != std::string::npos || dice.below(8) != 0) {
            return Fault::None;
        }
        return static_cast<Fault>(1 + dice.below(5));
    };
    tailnet.lists_descriptions = dice.below(2) == 0;
    std::set<std::string> proxies;
    for (int round = 0; round < 60; ++round) {
        if (process == nullptr || dice.below(3) == 0) {
            process.reset();
            start(dice.below(1000));
        }
        const std::string name = "p" + std::string(1, static_cast<char>('a' + dice.below(10)));
        switch (dice.below(8)) {
            case 0:
            case 1:
            case 2:
                cluster.add_proxy(name, 1, dice.below(2) == 0 ? "tag:a" : "tag:a,tag:b");
                proxies.insert(name);
                break;
            case 3:
                cluster.remove_proxy(name);
                proxies.erase(name);
                break;
            case 4:
                cluster.restart_pod(name + "-0");
                break;
            case 5:
                kube.forget_history();
                break;
            case 6:
                if (is_noted(name + "-0")) {  // otherwise nothing else names its device
                    kube.erase(secret(name + "-0"));
                }
                break;
            default:
                tailnet.refuse_tokens();
                break;
        }
        run(Duration(1 + dice.below(round % 7 == 0 ? 400'000 : 2'000)));
    }
    stormy = false;
    process.reset();
    start(1);
    for (const std::string& name : proxies) {
        cluster.restart_pod(name + "-0");
    }
    run(30 * kMinute);
    if (process->controller.counts().blocks_proxies) {
        confirm_blocked("blocked-removals.json");
        run(30 * kMinute);
    }
    std::set<std::string> pods;
    for (const std::string& name : proxies) {
        pods.insert(name + "-0");
    }
    expect_converged(pods);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Storm, testing::Range<std::uint64_t>(1, 16));

}  // namespace
}  // namespace runtime::controller
