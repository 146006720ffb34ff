#include "runtime/operate/adopt.h"

#include <gtest/gtest.h>

#include <memory>

#include "renderer/core/text_of.h"
#include "runtime/operate/adopt_record.h"
#include "runtime/testing/controller_process.h"

namespace runtime {
namespace {

using renderer::text_of;
using renderer::Value;

constexpr Duration kSecond = std::chrono::seconds(1);
constexpr Duration kMinute = std::chrono::minutes(1);

// A run of the program: what it knows ends with it.
struct Run {
    Run(FakeLoop& world, FakeNetwork& network)
        : loop(world),
          transport(network),
          kube(transport, {.server = "https://kube", .ca_file = "", .token_file = ""}),
          context{loop, kube, std::string(FakeCluster::kNamespace),
                  [this](const std::string& line) { said += line + "\n"; }} {}

    Next done() {
        return [this](const std::string& its_problem) {
            ended = true;
            problem = its_problem;
        };
    }

    ProcessLoop loop;
    FakeTransport transport;
    KubeClient kube;
    std::string said, problem;
    bool ended = false;
    OperateContext context;
};

std::string old_set(int i) {
    return "ts-web" + std::to_string(i) + "-qwxyz";
}
std::string new_set(int i) {
    return "ts-web" + std::to_string(i) + "-bcdfg";
}
std::string parent(int i) {
    return "web" + std::to_string(i);
}
std::string user_service(const std::string& name) {
    return "/api/v1/namespaces/apps/services/" + name;
}

// A cluster with the operator's proxies, to which the rendered ones have been applied.
struct World {
    // By default more than move at a time.
    explicit World(int its_proxies = 7) : proxies(its_proxies) {
        network.add("https://kube", kube);
        network.add("https://tailnet", tailnet);
        cluster.add_operator();
        for (int i = 0; i < proxies; ++i) {
            cluster.add_operator_proxy(old_set(i), parent(i));
            const std::string target = old_set(i) + ".tailscale.svc.cluster.local";
            kube.put(
                user_service(parent(i)),
                Value::map(
                    {{"metadata",
                      Value::map({{"name", parent(i)},
                                  {"namespace", "apps"},
                                  {"finalizers", Value::list({Value("tailscale.com/finalizer"),
                                                              Value("example.com/other")})}})},
                     {"spec", Value::map({{"type", "ExternalName"}, {"externalName", target}})}}));
        }
        loop.run_for(5 * kSecond);
        for (int i = 0; i < proxies; ++i) {
            cluster.add_proxy(new_set(i), 1, "tag:k8s", parent(i));
        }
    }

    static std::string secret(const std::string& name) {
        return FakeCluster::path("secrets", name);
    }
    void start_controller() { controller = std::make_unique<ControllerProcess>(loop, network, 1); }

    std::string externally(int i) {
        return std::string(
            text_of(kube.find(user_service(parent(i)))->at({"spec", "externalName"})));
    }

    void expect_adopted() {
        EXPECT_EQ(cluster.doubles, 0);
        EXPECT_TRUE(tailnet.keys.empty()) << "a key was minted: a device would be new";
        EXPECT_EQ(tailnet.devices.size(), static_cast<std::size_t>(proxies));
        for (int i = 0; i < proxies; ++i) {
            SCOPED_TRACE(new_set(i));
            const std::string state = secret(new_set(i) + "-0");
            EXPECT_EQ(kube.datum(state, "device_id"), "nOLD-" + parent(i));
            EXPECT_EQ(kube.datum(state, "device_fqdn"), "apps-" + parent(i) + ".tail1a2b3.ts.net.");
            EXPECT_EQ(kube.datum(state, "_machinekey"), "privkey:" + parent(i));
            EXPECT_EQ(kube.datum(state, "cap-107.hujson"), "");
            EXPECT_EQ(kube.datum(state, "pod_uid"),
                      text_of(kube.find(FakeCluster::path("pods", new_set(i) + "-0"))
                                  ->at({"metadata", "uid"})));
            for (const char* kind : {"statefulsets", "services"}) {
                EXPECT_EQ(kube.find(FakeCluster::path(kind, old_set(i))), nullptr) << kind;
            }
            EXPECT_EQ(kube.find(secret(old_set(i) + "-0")), nullptr);
            EXPECT_EQ(kube.find(FakeCluster::path("pods", old_set(i) + "-0")), nullptr);
            EXPECT_EQ(externally(i), new_set(i) + ".tailscale.svc.cluster.local");
            EXPECT_EQ(*kube.find(user_service(parent(i)))->at({"metadata", "finalizers"}),
                      Value::list({Value("example.com/other")}));
        }
        EXPECT_EQ(kube.find(FakeCluster::path("deployments", "operator"))
                      ->at({"spec", "replicas"})
                      ->as_int(),
                  0);
    }

    // All devices have a pod, each one.
    int devices_that_run() {
        int running = 0;
        for (int i = 0; i < proxies; ++i) {
            for (const std::string& set : {old_set(i), new_set(i)}) {
                const Value* pod = kube.find(FakeCluster::path("pods", set + "-0"));
                running += pod != nullptr && kube.datum(secret(set + "-0"), "pod_uid") ==
                                                 text_of(pod->at({"metadata", "uid"}))
                               ? 1
                               : 0;
            }
        }
        return running;
    }

    int proxies;
    FakeLoop loop;
    FakeNetwork network{loop};
    FakeKube kube;
    FakeTailnet tailnet{loop};
    FakeCluster cluster{loop, kube, tailnet};
    std::unique_ptr<ControllerProcess> controller;
};

using Verb = std::function<void(const OperateContext&, Next)>;

void plain_adopt(const OperateContext& context, Next done) {
    adopt(context, {}, std::move(done));
}

// "" or what went wrong.
std::string run_to_end(World& world, const Verb& verb, std::string* said = nullptr) {
    Run run(world.loop, world.network);
    verb(run.context, run.done());
    const Time end = world.loop.now() + 30 * kMinute;
    while (!run.ended && world.loop.step(end)) {
    }
    EXPECT_TRUE(run.ended);
    world.loop.run_for(5 * kSecond);
    if (said != nullptr) {
        *said = run.said;
    }
    return run.problem;
}

// The process ends right before its request number `requests` goes out; false: it needed fewer.
bool run_and_kill(World& world, const Verb& verb, int requests) {
    auto run = std::make_unique<Run>(world.loop, world.network);
    int left = requests;
    bool killed = false;
    struct Counting : Transport {
        Counting(Transport& its_inner, int& its_left, bool& its_killed)
            : inner(its_inner), left(its_left), killed(its_killed) {}
        RequestId send(HttpRequest request, std::function<void(HttpReply)> done,
                       std::function<void(std::string_view)> on_data) override {
            killed = killed || left-- == 0;
            return killed ? 0 : inner.send(std::move(request), std::move(done), std::move(on_data));
        }
        void cancel(RequestId id) override { inner.cancel(id); }
        Transport& inner;
        int& left;
        bool& killed;
    };
    Counting counting(run->transport, left, killed);
    KubeClient kube(counting, {.server = "https://kube", .ca_file = "", .token_file = ""});
    const OperateContext context{run->loop, kube, run->context.ns, run->context.say};
    verb(context, run->done());
    const Time end = world.loop.now() + 30 * kMinute;
    while (!killed && !run->ended && world.loop.step(end)) {
    }
    run.reset();
    return killed;
}

TEST(Adopt, KeepsEveryDevice) {
    World world;
    world.start_controller();
    std::string said;
    EXPECT_EQ(run_to_end(world, plain_adopt, &said), "");
    world.expect_adopted();
    EXPECT_NE(said.find("Service/apps/web3  ts-web3-qwxyz  ts-web3-bcdfg  "
                        "apps-web3.tail1a2b3.ts.net\n"),
              std::string::npos)
        << said;
    const std::size_t writes = world.kube.writes;
    EXPECT_EQ(run_to_end(world, plain_adopt, &said), "");
    EXPECT_EQ(world.kube.writes, writes) << "a second run has nothing to write";
    EXPECT_NE(said.find("nothing of the operator's is left"), std::string::npos) << said;
    world.loop.run_for(std::chrono::hours(1));
    world.expect_adopted();
}

TEST(Adopt, NeedsNoController) {
    World world;
    EXPECT_EQ(run_to_end(world, plain_adopt), "");
    world.expect_adopted();
}

TEST(Adopt, DryRunWritesNothing) {
    World world;
    const std::size_t writes = world.kube.writes;
    std::string said;
    EXPECT_EQ(run_to_end(
                  world,
                  [](const OperateContext& context, Next done) {
                      adopt(context, {.dry_run = true}, std::move(done));
                  },
                  &said),
              "");
    EXPECT_EQ(world.kube.writes, writes);
    EXPECT_NE(said.find("ts-web0-qwxyz"), std::string::npos) << said;
    EXPECT_NE(said.find("the operator runs"), std::string::npos) << said;
}

TEST(Adopt, KilledAtAnyPointLeavesAWorkingTailnetAndIsCompletedByTheNextRun) {
    int kills = 0;
    for (int requests = 0;; ++requests) {
        SCOPED_TRACE(requests);
        World world(2);
        world.start_controller();
        if (!run_and_kill(world, plain_adopt, requests)) {
            break;
        }
        ++kills;
        world.loop.run_for(kMinute);
        ASSERT_EQ(world.devices_that_run(), world.proxies) << "after the kill";
        ASSERT_EQ(run_to_end(world, plain_adopt), "");
        world.expect_adopted();
        if (testing::Test::HasFailure()) {
            return;
        }
    }
    EXPECT_GT(kills, 60);
}

TEST(Adopt, GoesBackToWhereItCameFrom) {
    World world;
    world.start_controller();
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    ASSERT_EQ(run_to_end(world, roll_back), "");
    EXPECT_EQ(world.cluster.doubles, 0);
    EXPECT_TRUE(world.tailnet.keys.empty());
    EXPECT_EQ(world.tailnet.devices.size(), static_cast<std::size_t>(world.proxies));
    for (int i = 0; i < world.proxies; ++i) {
        SCOPED_TRACE(old_set(i));
        EXPECT_EQ(world.kube.datum(World::secret(old_set(i) + "-0"), "device_id"),
                  "nOLD-" + parent(i));
        EXPECT_EQ(world.kube.datum(World::secret(old_set(i) + "-0"), "cap-107.hujson"), "{}");
        EXPECT_EQ(world.externally(i), old_set(i) + ".tailscale.svc.cluster.local");
        EXPECT_NE(world.kube.find(FakeCluster::path("services", old_set(i))), nullptr);
    }
    EXPECT_EQ(world.kube.find(FakeCluster::path("deployments", "operator"))
                  ->at({"spec", "replicas"})
                  ->as_int(),
              1);
    // And there again.
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    world.expect_adopted();
}

TEST(Adopt, RollbackThatIsKilledIsCompletedByTheNext) {
    for (int requests = 0;; ++requests) {
        SCOPED_TRACE(requests);
        World world(2);
        world.start_controller();
        ASSERT_EQ(run_to_end(world, plain_adopt), "");
        if (!run_and_kill(world, roll_back, requests)) {
            break;
        }
        world.loop.run_for(10 * kMinute);
        ASSERT_EQ(run_to_end(world, roll_back), "");
        EXPECT_EQ(world.cluster.doubles, 0);
        EXPECT_TRUE(world.tailnet.keys.empty());
        EXPECT_EQ(world.tailnet.devices.size(), static_cast<std::size_t>(world.proxies));
        for (int i = 0; i < world.proxies; ++i) {
            EXPECT_EQ(world.kube.datum(World::secret(old_set(i) + "-0"), "device_id"),
                      "nOLD-" + parent(i));
        }
        if (testing::Test::HasFailure()) {
            return;
        }
    }
}

TEST(Adopt, RefusesWhatIsNotRendered) {
    World world;
    world.cluster.add_operator_proxy("ts-lonely-qwxyz", "lonely");
    const std::size_t writes = world.kube.writes;
    EXPECT_EQ(run_to_end(world, plain_adopt),
              "1 cannot be moved, so nothing is changed:\n"
              "  Service/apps/lonely (ts-lonely-qwxyz): nothing is rendered for it: apply the "
              "rendered manifests first\n"
              "  --partial moves the rest; these then run without the operator");
    EXPECT_EQ(world.kube.writes, writes);
    EXPECT_EQ(
        run_to_end(world, [](const OperateContext& context,
                             Next done) { adopt(context, {.partial = true}, std::move(done)); }),
        "");
    EXPECT_NE(world.kube.find(FakeCluster::path("statefulsets", "ts-lonely-qwxyz")), nullptr);
    EXPECT_EQ(world.kube.find(FakeCluster::path("statefulsets", old_set(0))), nullptr);
}

TEST(Adopt, KeepsTheOldPodOfOneThatIsNeverMade) {
    World world(2);
    const std::string pod = FakeCluster::path("pods", new_set(1) + "-0");
    world.kube.erase(pod);
    world.cluster.refused_pods.insert(new_set(1) + "-0");
    EXPECT_EQ(run_to_end(world, plain_adopt),
              "pod \"ts-web1-bcdfg-0\" is not made, so the old one stays: see the events of its "
              "StatefulSet");
    EXPECT_EQ(world.devices_that_run(), 2);
    EXPECT_NE(world.kube.find(FakeCluster::path("statefulsets", old_set(1))), nullptr);
    world.cluster.refused_pods.clear();
    EXPECT_EQ(run_to_end(world, plain_adopt), "");
    world.expect_adopted();
}

TEST(Adopt, FinishForgetsTheRecords) {
    World world;
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    ASSERT_NE(world.kube.find(World::secret(record_name(old_set(0)))), nullptr);
    ASSERT_EQ(run_to_end(world, finish), "");
    EXPECT_EQ(world.kube.find(World::secret(record_name(old_set(0)))), nullptr);
    EXPECT_EQ(world.kube.find(World::secret(std::string(kOperatorRecord))), nullptr);
    std::string said;
    EXPECT_EQ(run_to_end(world, roll_back, &said), "");
    EXPECT_NE(said.find("there is no record"), std::string::npos) << said;
}

}  // namespace
}  // namespace runtime
