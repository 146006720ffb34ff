// Tests of the pod that serves the Kubernetes API (testdata/contract/proxy.md). The controller
// treats it as a proxy.
#include "runtime/controller/keys/state_secrets.h"
#include "runtime/testing/controller_test.h"
#include "runtime/testing/decide_world.h"

namespace runtime::controller {
namespace {

using renderer::text_of;

TEST_F(ControllerTest, TheApiProxyIsManagedLikeAProxy) {
    const std::string set = FakeCluster::path("statefulsets", "kube-apiserver-proxy");
    const std::string ledger = FakeCluster::path("configmaps", "tailrender-devices");
    const auto lines = [&] {
        return std::string(text_of(kube.find(ledger)->at({"data", "devices.jsonl"})));
    };
    cluster.add_api_proxy();
    start();
    run(kMinute);
    expect_converged({"kube-apiserver-proxy-0"});
    EXPECT_EQ(tailnet.devices.begin()->second.tags, std::vector<std::string>{"tag:k8s-operator"});
    const std::string parent = R"("parent":"Deployment/tailscale/operator")";
    EXPECT_NE(lines().find(parent), std::string::npos) << lines();
    kube.erase(set);
    run(kMinute);
    EXPECT_NE(lines().find(parent), std::string::npos) << lines();
    EXPECT_NE(lines().find(R"("state":"leaving")"), std::string::npos) << lines();
    run(10 * kMinute);
    expect_converged({});
}

TEST_F(ControllerTest, TheApiProxyComesOnceTheOperatorsDeviceIsOutOfTheWay) {
    const std::string old = FakeCluster::path("secrets", "operator");
    kube.put(old,
             renderer::Value::map({{"metadata", renderer::Value::map({{"name", "operator"}})}}));
    kube.set_datum(old, "_current-profile", "profile-1");
    kube.set_datum(old, "profile-1", R"({"Config":{"NodeID":"nOPERATOR"}})");
    cluster.add_api_proxy();
    start();
    run(10 * kMinute);
    EXPECT_TRUE(tailnet.devices.empty());
    EXPECT_EQ(kube.find(FakeCluster::path("secrets", "kube-apiserver-proxy-0-auth")), nullptr);
    kube.erase(old);
    run(5 * kMinute);
    expect_converged({"kube-apiserver-proxy-0"});
}

const DecideCase kApartCases[] = {
    {"nothing to do", [](DecideWorld& w) { w.be_apart(); }, "nothing"},
    {"the Secret for its key does not exist",
     [](DecideWorld& w) {
         w.be_apart();
         w.delivered.reset();
     },
     "deliver the key"},
    {"nothing has been delivered yet",
     [](DecideWorld& w) {
         w.be_apart();
         w.delivered = {.is_there = false, .digest = {}};
     },
     "deliver the key"},
    {"a new key",
     [](DecideWorld& w) {
         w.be_apart();
         w.give_key(kMinutes(0));
         w.auth.key_digest = "0123456789abcdef";
         w.forget_device();
     },
     "deliver the key"},
    {"a key that has been blanked",
     [](DecideWorld& w) {
         w.be_apart();
         w.delivered->digest = "0123456789abcdef";
     },
     "deliver the key"},
    {"a new key comes before the restart of the pod",
     [](DecideWorld& w) {
         w.be_apart();
         w.give_key(kMinutes(0));
         w.auth.key_digest = "0123456789abcdef";
         w.auth.restart_pod = "pod-1";
         w.ask_for_key();
     },
     "deliver the key"},
    {"a missing Secret comes before new tags",
     [](DecideWorld& w) {
         w.be_apart();
         w.delivered.reset();
         w.set.tags = "tag:web";
     },
     "deliver the key"},
    {"no state yet",
     [](DecideWorld& w) {
         w.be_apart();
         w.has_state = w.has_auth = false;
     },
     "create the state Secret"},
    {"one that is not apart", [](DecideWorld& w) { w.delivered.reset(); }, "nothing"},
};

TEST(Decide, APodThatIsApartGetsTheRecordedKey) {
    for (const DecideCase& one : kApartCases) {
        SCOPED_TRACE(one.name);
        DecideWorld world;
        one.change(world);
        EXPECT_EQ(world.decide_all(), one.want);
    }
}

// Answers 403 to requests for a namespace.
struct ForbiddenNamespace : FakeServer {
    ForbiddenNamespace(FakeKube& its_kube, std::string_view ns)
        : kube(its_kube), part("/namespaces/" + std::string(ns) + "/") {}
    HttpReply answer(const HttpRequest& request, const std::string& path,
                     const std::shared_ptr<Stream>& stream) override {
        return path.find(part) == std::string::npos
                   ? kube.answer(request, path, stream)
                   : json_reply(403, renderer::Value::map({{"kind", "Status"}}));
    }
    FakeKube& kube;
    std::string part;
};

// Runs an API proxy in a namespace where the controller may create nothing. The objects that its
// pod needs are rendered.
class ApartTest : public ControllerTest {
protected:
    static constexpr std::string_view kApart = "tailscale-api";
    static constexpr const char* kPod = "kube-apiserver-proxy-0";
    static constexpr const char* kAuth = "kube-apiserver-proxy-0-auth";
    static constexpr const char* kSet = "kube-apiserver-proxy";

    ApartTest() { api_ns = kApart; }

    static std::string apart(std::string_view plural, std::string_view name) {
        return FakeCluster::path(plural, name, kApart);
    }
    void apply_secret(const std::string& name) {
        kube.put(
            apart("secrets", name),
            renderer::Value::map(
                {{"metadata", renderer::Value::map({{"name", name}, {"namespace", kApart}})}}));
    }
    void apply() {
        apply_secret(kPod);
        apply_secret(kAuth);
        other.add_api_proxy();
    }
    void prune() {
        for (const std::string& path :
             {apart("secrets", kPod), apart("secrets", kAuth), apart("statefulsets", kSet)}) {
            kube.erase(path);
        }
    }
    std::string device() { return kube.datum(apart("secrets", kPod), "device_id"); }
    std::string line() {
        return std::string(text_of(kube.find(FakeCluster::path("configmaps", "tailrender-devices"))
                                       ->at({"data", "devices.jsonl"})));
    }
    // Checks that the API proxy has the only device of the tailnet, and that its key is blank in
    // both namespaces.
    void expect_joined() {
        ASSERT_EQ(tailnet.devices.size(), 1U);
        EXPECT_TRUE(tailnet.devices.contains(device())) << device();
        EXPECT_EQ(tailnet.usable_keys(), std::vector<std::string>());
        for (const std::string& path : {secret(kAuth), apart("secrets", kAuth)}) {
            const renderer::Value* found = kube.find(path);
            ASSERT_NE(found, nullptr) << path;
            EXPECT_NE(found->at({"data", "authkey"}), nullptr) << path;
            EXPECT_EQ(kube.datum(path, "authkey"), "") << path;
        }
        EXPECT_EQ(kube.find(secret(kPod)), nullptr);
        EXPECT_EQ(kube.paths_below(apart("secrets", "")).size(), 2U);
    }
    // True if an Event contains this text.
    bool is_told(std::string_view words) {
        for (const std::string& path : kube.paths_below(FakeCluster::path("events", ""))) {
            if (text_of(kube.find(path)->find("message")).find(words) != std::string_view::npos) {
                return true;
            }
        }
        return false;
    }

    FakeCluster other{loop, kube, tailnet, kApart};
};

TEST_F(ApartTest, TheApiProxyJoinsFromANamespaceOfItsOwn) {
    apply();
    start();
    run(kMinute);
    expect_joined();
    EXPECT_EQ(tailnet.devices.begin()->second.tags, std::vector<std::string>{"tag:k8s-operator"});
    EXPECT_NE(line().find(R"("state":"joined")"), std::string::npos) << line();
    EXPECT_NE(line().find(R"("parent":"Deployment/tailscale/operator")"), std::string::npos);
}

TEST_F(ApartTest, WithoutRightsThereOnlyTheApiProxyIsLeftAlone) {
    apply();
    start();
    run(kMinute);
    const std::string before = device();
    process.reset();
    ForbiddenNamespace forbidden(kube, kApart);
    network.add("https://kube", forbidden);
    cluster.add_proxy("ts-web-bcdfg");
    start(2);
    run(10 * kMinute);
    EXPECT_TRUE(process->controller.is_ready());
    EXPECT_NE(kube.datum(secret("ts-web-bcdfg-0"), "device_id"), "");
    EXPECT_TRUE(is_told("cannot read the API proxy in namespace \"tailscale-api\""));
    EXPECT_EQ(tailnet.devices.size(), 2U);
    network.add("https://kube", kube);
    kube.erase(apart("secrets", kAuth));
    apply_secret(kAuth);
    run(5 * kMinute);
    EXPECT_EQ(device(), before);
    EXPECT_NE(kube.find(apart("secrets", kAuth))->at({"data", "authkey"}), nullptr);
}

TEST_F(ApartTest, TheDeviceIsRemovedWithTheStatefulSet) {
    apply();
    start();
    run(kMinute);
    prune();
    run(kMinute);
    EXPECT_NE(line().find(R"("state":"leaving")"), std::string::npos) << line();
    EXPECT_EQ(tailnet.devices.size(), 1U);
    run(10 * kMinute);
    EXPECT_TRUE(tailnet.devices.empty());
    EXPECT_TRUE(kube.paths_below(secret("")).empty());
}

TEST_F(ApartTest, TheDeviceStaysWhileItsStatefulSetExists) {
    apply();
    start();
    run(kMinute);
    process.reset();
    api_ns.clear();  // the next controller does not look there
    start(2);
    run(2 * kMinute);
    api_ns = kApart;
    start(3);
    run(10 * kMinute);
    expect_joined();
}

TEST_F(ApartTest, AKeyThatAnApplierTakesAwayIsDeliveredAgain) {
    apply();
    start();
    run(kMinute);
    const std::string before = device();
    kube.erase(apart("secrets", kAuth));
    apply_secret(kAuth);
    run(kMinute);
    expect_joined();
    EXPECT_EQ(device(), before);
}

TEST_F(ApartTest, ALostStateIsReplacedByANewDevice) {
    apply();
    start();
    run(kMinute);
    const std::string before = device();
    kube.erase(apart("secrets", kPod));
    apply_secret(kPod);
    other.restart_pod(kPod);
    run(10 * kMinute);
    expect_joined();
    EXPECT_NE(device(), before);
}

TEST_F(ApartTest, NoKeyIsMintedWhileItsSecretsAreNotRendered) {
    other.add_api_proxy();
    start();
    run(kMinute);
    EXPECT_EQ(kube.find(secret(kAuth)), nullptr);
    EXPECT_TRUE(
        is_told("Secret \"tailscale-api/kube-apiserver-proxy-0\" does not exist: it is "
                "rendered with tailrender.apiProxyNamespace, and has to be applied"));
    apply_secret(kPod);
    run(5 * kMinute);
    EXPECT_TRUE(is_told("Secret \"tailscale-api/kube-apiserver-proxy-0-auth\" does not exist"));
    EXPECT_TRUE(tailnet.keys.empty());
    EXPECT_TRUE(tailnet.devices.empty());
    apply_secret(kAuth);
    run(5 * kMinute);
    expect_joined();
}

TEST_F(ApartTest, TheOperatorsDeviceDoesNotMoveThere) {
    kube.put(secret("operator"),
             renderer::Value::map({{"metadata", renderer::Value::map({{"name", "operator"}})}}));
    kube.set_datum(secret("operator"), "_current-profile", "profile-1");
    kube.set_datum(secret("operator"), "profile-1", R"({"Config":{"NodeID":"nOPERATOR"}})");
    apply();
    start();
    run(kMinute);
    EXPECT_TRUE(tailnet.devices.empty());
    EXPECT_TRUE(
        is_told("delete the Secret and the device; `tailrender-adopt` moves it "
                "only without tailrender.apiProxyNamespace"));
    kube.erase(secret("operator"));
    run(5 * kMinute);
    expect_joined();
}

TEST_F(ApartTest, AnApiProxyMovesFromTheControllersNamespace) {
    cluster.add_api_proxy();
    start();
    run(kMinute);
    ASSERT_EQ(tailnet.devices.size(), 1U);
    const std::string before = tailnet.devices.begin()->first;
    apply();
    cluster.remove_proxy(kSet);
    run(10 * kMinute);
    expect_joined();
    EXPECT_NE(device(), before);
}

TEST_F(ApartTest, NoKeyIsMintedBesideAPodInTheControllersNamespace) {
    cluster.add_api_proxy();
    start();
    run(kMinute);
    const std::string before = tailnet.devices.begin()->first;
    apply();
    run(10 * kMinute);
    EXPECT_EQ(tailnet.keys.size(), 1U);
    EXPECT_TRUE(tailnet.devices.contains(before));
    EXPECT_TRUE(is_told("pod \"tailscale/kube-apiserver-proxy-0\" exists: delete its StatefulSet"));
}

TEST_F(ApartTest, WhatIsLeftInTheControllersNamespaceIsDeletedWithoutReplicas) {
    cluster.add_api_proxy();
    start();
    run(kMinute);
    apply();
    renderer::Value set = kube.find(apart("statefulsets", kSet))->clone();
    set.find("spec")->put("replicas", 0);
    kube.put(apart("statefulsets", kSet), std::move(set));
    cluster.remove_proxy(kSet);
    run(30 * kMinute);
    EXPECT_TRUE(tailnet.devices.empty());
    EXPECT_TRUE(kube.paths_below(secret("")).empty());
    EXPECT_EQ(kube.find(apart("secrets", kPod))->at({"metadata", "annotations"}), nullptr);
}

TEST_F(ApartTest, OneThatIsBeingDeletedIsReportedWithItsNamespace) {
    apply_secret(kPod);
    renderer::Value state = kube.find(apart("secrets", kPod))->clone();
    state.find("metadata")->put("finalizers", renderer::Value::list({renderer::Value("x")}));
    kube.put(apart("secrets", kPod), std::move(state));
    start();
    std::string erased;
    const Written written{.put = {},
                          .erased =
                              [&erased](const renderer::Value& one) {
                                  erased = text_of(one.at({"metadata", "namespace"}));
                              },
                          .tell = {}};
    StateSecrets states(process->kube, "tailscale", std::string(kApart), written);
    StateOwner owner;
    owner.pod = kPod;
    owner.uid = text_of(kube.find(apart("secrets", kPod))->at({"metadata", "uid"}));
    owner.is_apart = true;
    states.let_go(owner)([](const std::string& problem) { EXPECT_EQ(problem, ""); });
    run(kMinute);
    EXPECT_EQ(erased, kApart);
}

}  // namespace
}  // namespace runtime::controller
