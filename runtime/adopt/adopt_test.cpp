#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "renderer/contract/labels.h"
#include "renderer/core/json.h"
#include "runtime/testing/adopt_run.h"

namespace runtime::adopt {
namespace {

using operate::OperateContext;
using renderer::Value;

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
    EXPECT_NE(said.find("nothing left to move from the operator"), std::string::npos) << said;
    world.loop.run_for(std::chrono::hours(1));
    world.expect_adopted();
    world.roll_group();
    world.expect_adopted();
}

TEST(Adopt, TagsThatChangeWithTheMoveReachTheDevices) {
    World world(2);
    world.cluster.add_proxy(new_set(0), 1, "tag:web", parent(0));
    world.cluster.annotate("tape", "tailrender.dev/tags", "tag:rec");
    world.start_controller();
    EXPECT_EQ(run_to_end(world, plain_adopt), "");
    world.loop.run_for(kMinute);
    EXPECT_EQ(world.tailnet.devices.at("nOLD-web0").tags, std::vector<std::string>{"tag:web"});
    EXPECT_EQ(world.tailnet.devices.at("nOLD-web1").tags, std::vector<std::string>{"tag:k8s"});
    EXPECT_EQ(world.tailnet.devices.at("nOLD-tape").tags, std::vector<std::string>{"tag:rec"});
}

// The operator's StatefulSet of a PeerRelay has the name of the rendered one.
TEST(Adopt, ARelayKeepsItsDeviceAndIsConfiguredAgain) {
    World world(1);
    const std::string pod = "peerrelay-edge-0";
    const std::string config = World::secret(pod + "-config");
    for (const std::string& name : {pod, pod + "-config"}) {
        world.kube.put(World::secret(name),
                       Value::map({{"metadata", Value::map({{"name", name}})}}));
    }
    world.kube.set_datum(config, "cap-142.hujson", "the operator's");
    world.cluster.log_in(pod, "edge");
    world.cluster.add_relay("edge", 1);
    world.cluster.configure_relay("edge",
                                  Value::map({{"peerrelay-edge-0.cap-148.hujson",
                                               R"({"Version":"alpha0","AuthKey":"file:/a"})"}}));
    world.start_controller();
    EXPECT_EQ(run_to_end(world, plain_adopt), "");
    world.loop.run_for(2 * kMinute);
    EXPECT_EQ(world.kube.datum(World::secret(pod), "device_id"), "nOLD-edge");
    EXPECT_TRUE(world.tailnet.devices.contains("nOLD-edge"));
    EXPECT_EQ(world.kube.datum(config, "cap-148.hujson"),
              R"({"Version":"alpha0","AuthKey":"file:/a"})");
    EXPECT_EQ(world.kube.datum(config, "cap-142.hujson"), "");
    world.controller.reset();
    std::string said;
    EXPECT_EQ(run_to_end(world, roll_back, &said), "");
    EXPECT_EQ(said.find("the operator did not create it"), std::string::npos) << said;
    EXPECT_EQ(world.kube.datum(World::secret(pod), "device_id"), "nOLD-edge");
    EXPECT_EQ(world.kube.datum(config, "cap-148.hujson"), R"({"Version":"alpha0"})");
    EXPECT_EQ(world.kube.find(config)->at({"metadata", "labels", renderer::kSecretLabel}), nullptr);
}

TEST(Adopt, NotesWhoseTailscaleServicesAreOursNow) {
    World world(1);
    const std::string state = World::secret("operator");
    world.kube.put(state, Value::map({{"metadata", Value::map({{"name", "operator"}})}}));
    world.kube.set_datum(state, "_current-profile", "profile-1");
    world.kube.set_datum(state, "profile-1", R"({"Config":{"NodeID":"nOPERATOR"}})");
    const auto noted = [&world] {
        const Value* map = world.kube.find(FakeCluster::path("configmaps", "tailrender-devices"));
        return map == nullptr ? "" : controller::annotation_of(*map, "tailrender.dev/predecessor");
    };
    std::string said;
    EXPECT_EQ(run_to_end(world, plain_adopt, &said), "");
    EXPECT_EQ(noted(), "nOPERATOR");
    EXPECT_NE(
        said.find("Tailscale Services of the operator (nOPERATOR) now belong to the controller\n"),
        std::string::npos)
        << said;
    const std::size_t writes = world.kube.writes;
    EXPECT_EQ(run_to_end(world, plain_adopt), "");
    EXPECT_EQ(world.kube.writes, writes) << "a second run has nothing to write";
    EXPECT_EQ(run_to_end(world, roll_back), "");
    EXPECT_EQ(noted(), "") << "they are the operator's again";
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

// The state of such pods names the device before they are in the tailnet: adopt waits until they
// are ready.
TEST(Adopt, KeepsEveryDeviceOfPodsThatForgetNothing) {
    World world;
    world.cluster.keep_device = true;
    world.start_controller();
    EXPECT_EQ(run_to_end(world, plain_adopt), "");
    world.expect_adopted();
    EXPECT_EQ(run_to_end(world, roll_back), "");
    world.expect_gone_back();
}

// The chart's fullnameOverride renames the Deployment.
TEST(Adopt, FindsAnOperatorOfAnotherName) {
    World world(1);
    world.kube.erase(FakeCluster::path("deployments", "operator"));
    const std::string path = FakeCluster::path("deployments", "front");
    world.kube.put(path, std::move(*renderer::read_json(R"({"metadata":{"name":"front",
        "namespace":"tailscale"},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"front"}},
        "template":{"spec":{"containers":[{"name":"operator","env":[{"name":"PROXY_IMAGE"},
        {"name":"OPERATOR_SECRET","value":"front"}]}]}}}})")));
    const std::string state = World::secret("front");
    world.kube.put(state, Value::map({{"metadata", Value::map({{"name", "front"}})}}));
    world.kube.set_datum(state, "_current-profile", "profile-1");
    world.kube.set_datum(state, "profile-1", R"({"Config":{"NodeID":"nOPERATOR"}})");
    std::string said;
    EXPECT_EQ(run_to_end(world, plain_adopt, &said), "");
    EXPECT_EQ(world.kube.find(path)->at({"spec", "replicas"})->as_int(), 0);
    EXPECT_NE(
        said.find("Tailscale Services of the operator (nOPERATOR) now belong to the controller\n"),
        std::string::npos)
        << said;
    EXPECT_EQ(run_to_end(world, roll_back, &said), "");
    EXPECT_EQ(world.kube.find(path)->at({"spec", "replicas"})->as_int(), 2);
    EXPECT_EQ(run_to_end(world, plain_adopt), "");
    EXPECT_EQ(run_to_end(world, finish, &said), "");
    EXPECT_NE(said.find("Secret \"front\" and device nOPERATOR"), std::string::npos) << said;
}

TEST(Adopt, SaysThatNoOperatorIsHere) {
    World world;
    const std::string path = FakeCluster::path("deployments", "operator");
    const auto dry_run = [&world] {
        std::string said;
        EXPECT_EQ(run_to_end(
                      world,
                      [](const OperateContext& context, Next done) {
                          adopt(context, {.dry_run = true}, std::move(done));
                      },
                      &said),
                  "");
        return said;
    };
    renderer::Value container =
        renderer::Value::map({{"args", renderer::Value::list({renderer::Value("controller")})}});
    renderer::Value pod =
        renderer::Value::map({{"containers", renderer::Value::list({std::move(container)})}});
    renderer::Value deployment = world.kube.find(path)->clone();
    deployment.find("spec")->put("template", renderer::Value::map({{"spec", std::move(pod)}}));
    world.kube.put(path, std::move(deployment));
    EXPECT_TRUE(dry_run().ends_with(
        "no Tailscale operator: Deployment \"operator\" is the rendered controller\n"));
    world.kube.erase(path);
    EXPECT_TRUE(dry_run().ends_with("no Tailscale operator: no Deployment runs it\n"));
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
        ASSERT_TRUE(world.group_runs()) << "after the kill";
        ASSERT_EQ(run_to_end(world, plain_adopt), "");
        world.expect_adopted();
        if (testing::Test::HasFailure()) {
            return;
        }
    }
    EXPECT_GT(kills, 60);
}

TEST(Adopt, KilledWithoutAControllerIsCompletedByTheNextRun) {
    for (int requests = 0;; ++requests) {
        SCOPED_TRACE(requests);
        World world(1);
        if (!run_and_kill(world, plain_adopt, requests)) {
            break;
        }
        world.loop.run_for(kMinute);
        ASSERT_EQ(run_to_end(world, plain_adopt), "");
        world.expect_adopted();
        if (testing::Test::HasFailure()) {
            return;
        }
    }
}

TEST(Adopt, BringsWhatIsWrittenMeanwhile) {
    for (const bool has_controller : {false, true}) {
        SCOPED_TRACE(has_controller);
        World world(1);
        if (has_controller) {
            world.start_controller();
        }
        const auto write = [&world] {
            world.kube.set_datum(World::secret(old_set(0) + "-0"), "_newest", "yes");
        };
        // A controller starts the new pod as soon as the old StatefulSet no longer exists.
        has_controller ? world.before("GET", "secrets/" + new_set(0) + "-0-auth", write)
                       : world.before("DELETE", "statefulsets/" + old_set(0), write);
        EXPECT_EQ(run_to_end(world, plain_adopt), "");
        world.expect_adopted();
        EXPECT_EQ(world.kube.datum(World::secret(new_set(0) + "-0"), "_newest"), "yes");
    }
}

TEST(Adopt, KeepsADeviceThatJoinsMeanwhile) {
    int kills = 0;
    for (int requests = 0;; ++requests) {
        SCOPED_TRACE(requests);
        World world(2, 1);
        world.start_controller();
        const auto join = [&world] { world.cluster.log_in(old_set(1) + "-0", parent(1)); };
        // The replica joins at the last moment before its pod has to end.
        world.before("", "statefulsets/" + old_set(1), join);
        const bool killed = run_and_kill(world, plain_adopt, requests);
        world.loop.run_for(kMinute);
        const std::string device = "nOLD-" + parent(1);
        if (killed) {
            ++kills;
            ASSERT_EQ(run_to_end(world, plain_adopt), "");
        }
        ASSERT_TRUE(world.tailnet.devices.contains(device));
        world.expect_adopted();
        if (!killed || testing::Test::HasFailure()) {
            break;
        }
    }
    EXPECT_GT(kills, 60);
}

TEST(Adopt, EndsOnlyReplicasThatHaveNotJoined) {
    World world(1);
    world.cluster.add_operator_proxy("ts-ha-qwxyz", "ha", 1, 2);
    world.cluster.add_proxy("ts-ha-bcdfg", 2, "tag:k8s", "ha");
    bool first_stays = false;
    world.before("DELETE", "statefulsets/ts-ha-qwxyz", [&] {
        first_stays = world.kube.find(FakeCluster::path("pods", "ts-ha-qwxyz-0")) != nullptr;
        EXPECT_EQ(world.kube.find(FakeCluster::path("pods", "ts-ha-qwxyz-1")), nullptr);
    });
    std::string said;
    EXPECT_EQ(run_to_end(world, plain_adopt, &said), "");
    EXPECT_TRUE(first_stays);
    EXPECT_NE(said.find("ts-ha-qwxyz-1: has not joined yet, so it is stopped first\n"),
              std::string::npos)
        << said;
}

TEST(Adopt, BringsTheStateOfOneThatWasErasedByHand) {
    World world(2);
    world.kube.erase(FakeCluster::path("statefulsets", old_set(1)));
    EXPECT_EQ(run_to_end(world, plain_adopt), "");
    world.expect_adopted();
}

TEST(Adopt, KeepsTheStateOfOneThatAnotherKeyWasMintedFor) {
    World world(1);
    world.kube.erase(FakeCluster::path("statefulsets", old_set(0)));
    const std::string auth = World::secret(new_set(0) + "-0-auth");
    const auto secret = [](const std::string& name) {
        return Value::map({{"metadata", Value::map({{"name", name}})}, {"data", Value::map()}});
    };
    world.kube.put(auth, secret(new_set(0) + "-0-auth"));
    world.kube.put(World::secret(new_set(0) + "-0"), secret(new_set(0) + "-0"));
    EXPECT_EQ(run_to_end(world, plain_adopt),
              "\"ts-web0-bcdfg-0\" got its own key, so \"ts-web0-qwxyz-0\", which has "
              "device nOLD-web0, is kept: stop the controller, delete Secret "
              "\"ts-web0-bcdfg-0-auth\" and pod \"ts-web0-bcdfg-0\", and run adopt again");
    world.kube.erase(auth);
    world.cluster.restart_pod(new_set(0) + "-0");
    EXPECT_EQ(run_to_end(world, plain_adopt), "");
    world.expect_adopted();
}

TEST(Adopt, RefusesANamespaceWithoutAnything) {
    World world(1);
    const std::size_t writes = world.kube.writes;
    const auto elsewhere = [](const OperateContext& context, Next done) {
        OperateContext other = context;
        other.ns = "default";
        adopt(other, {}, std::move(done));
    };
    EXPECT_EQ(run_to_end(world, elsewhere),
              "namespace \"default\" has neither Deployment \"operator\" nor rendered proxies: "
              "pass their namespace with -n NAMESPACE");
    EXPECT_EQ(world.kube.writes, writes);
}

TEST(Adopt, EndsWhenTheOperatorHasBeenStartedAgain) {
    // The last write of a step, and an object that the next step would have deleted.
    const std::tuple<const char*, const char*, const char*> steps[] = {
        {"PATCH", "secrets/out-1", "ts-db-qwxyz"},
        {"DELETE", "services/ts-db-qwxyz", "ts-web0-qwxyz"},
        {"PATCH", "secrets/tailrender-adopt-proxy-ts-web0-qwxyz", ""},
        {"PATCH", "rolebindings/out", ""}};
    for (const auto& [method, name, still_there] : steps) {
        SCOPED_TRACE(name);
        World world(1);
        world.before(method, name, [&world] { world.cluster.add_operator(); });
        EXPECT_EQ(run_to_end(world, plain_adopt),
                  "the operator was started again: keep it at 0 in the repository of the "
                  "cluster, or commit the rendered install, which replaces it");
        if (!std::string(still_there).empty()) {
            EXPECT_NE(world.kube.find(FakeCluster::path("services", still_there)), nullptr);
        }
        EXPECT_EQ(run_to_end(world, plain_adopt), "");
        world.expect_adopted();
    }
}

TEST(Adopt, LetsNothingGoThatIsLeftAlone) {
    World world(1);
    world.cluster.add_operator_proxy("ts-lonely-qwxyz", "lonely");
    world.hold(kube::kServices, "apps", "lonely", "tailscale.com/finalizer");
    constexpr const renderer::Kind& kRecorders = renderer::kind_of("Recorder");
    world.hold(kRecorders, {}, "late", "tailscale.com/finalizer");
    world.kube.put(
        FakeCluster::path("statefulsets", "late"),
        Value::map({{"metadata",
                     Value::map({{"name", "late"},
                                 {"namespace", "tailscale"},
                                 {"labels", Value::map({{"tailscale.com/managed", "true"}})}})}}));
    world.own(kube::kStatefulSets, "late", kRecorders, "late");
    EXPECT_EQ(
        run_to_end(world, [](const OperateContext& context,
                             Next done) { adopt(context, {.partial = true}, std::move(done)); }),
        "");
    for (const std::string& path :
         {user_service("lonely"), kube::path_of(kRecorders, {}, "late")}) {
        EXPECT_EQ(world.finalizers(path),
                  (std::vector<std::string>{"tailscale.com/finalizer", "example.com/other"}))
            << path;
        world.cluster.held.erase(path);
    }
    EXPECT_EQ(world.owners(kube::kStatefulSets, "late"), std::vector<std::string>{"Recorder/late"});
    world.tailnet.devices.erase("nOLD-lonely");
    world.expect_adopted();
}

TEST(Adopt, RefusesWhatIsNotRendered) {
    World world;
    world.cluster.add_operator_proxy("ts-lonely-qwxyz", "lonely");
    const std::size_t writes = world.kube.writes;
    EXPECT_EQ(run_to_end(world, plain_adopt),
              "1 cannot be moved, so nothing is changed:\n"
              "  Service/apps/lonely (ts-lonely-qwxyz): no rendered proxy for it: apply the "
              "rendered manifests first, while the operator is stopped\n"
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
              "pod \"ts-web1-bcdfg-0\" is not created, so the old one is kept: see the events of "
              "its StatefulSet");
    EXPECT_EQ(world.devices_that_run(), 2);
    EXPECT_NE(world.kube.find(FakeCluster::path("statefulsets", old_set(1))), nullptr);
    world.cluster.refused_pods.clear();
    EXPECT_EQ(run_to_end(world, plain_adopt), "");
    world.expect_adopted();
}

}  // namespace
}  // namespace runtime::adopt
