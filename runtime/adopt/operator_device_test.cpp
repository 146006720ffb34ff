// Tests the move of the operator's own device to a rendered pod that serves the Kubernetes API
// instead.
#include <gtest/gtest.h>

#include <string>

#include "renderer/base/replace.h"
#include "renderer/contract/annotations.h"
#include "renderer/contract/auth_secret.h"
#include "renderer/contract/labels.h"
#include "renderer/core/json.h"
#include "runtime/adopt/adopt_plan.h"
#include "runtime/adopt/adopt_record.h"
#include "runtime/testing/adopt_run.h"

namespace runtime::adopt {
namespace {

using operate::OperateContext;
using renderer::Value;

const std::string kSet = "kube-apiserver-proxy";
const std::string kPod = "kube-apiserver-proxy-0";
const std::string kWarning =
    "\nSecret \"operator\" still has the device of \"kube-apiserver-proxy-0\": an operator that is "
    "started before `tailrender-adopt --rollback` or `tailrender-adopt --finish` takes it from "
    "that pod\n";

// A world that also has the operator's own device and the rendered StatefulSet.
struct OperatorWorld : World {
    OperatorWorld() : World(1) {
        tailnet.devices["nOPERATOR"] = {
            "nOPERATOR", "tailscale-operator", "", "tailscale-operator", {"tag:k8s-operator"}};
        kube.put(old, Value::map({{"metadata", Value::map({{"name", "operator"}})}}));
        kube.set_datum(old, "_machinekey", "privkey:operator");
        kube.set_datum(old, "_current-profile", "profile-1");
        kube.set_datum(old, "profile-1", R"({"Config":{"NodeID":"nOPERATOR"}})");
        render();
    }
    void render() {
        cluster.add_api_proxy();
        cluster.annotate(kSet, renderer::kHostnameAnnotation, "tailscale-operator");
    }
    std::string device() { return kube.datum(secret(kPod), "device_id"); }
    std::string moved_to() { return controller::annotation_of(*kube.find(old), kMovedAnnotation); }
    void expect_moved() {
        EXPECT_EQ(device(), "nOPERATOR");
        EXPECT_EQ(moved_to(), kPod);
        EXPECT_EQ(kube.datum(secret(kPod), "_machinekey"), "privkey:operator");
        EXPECT_EQ(controller::annotation_of(*kube.find(secret(kPod + "-auth")),
                                            renderer::kDeviceAnnotation),
                  "nOPERATOR");
        EXPECT_TRUE(tailnet.devices.contains("nOPERATOR"));
        EXPECT_EQ(cluster.doubles, 0);
    }

    const std::string old = secret("operator");
};

TEST(OperatorDevice, WaitsForAdoptAndThenIsThePods) {
    OperatorWorld world;
    world.start_controller();
    world.loop.run_for(10 * kMinute);
    EXPECT_EQ(world.device(), "") << "no key while the operator's device could have its name";
    std::string said;
    EXPECT_EQ(run_to_end(world, plain_adopt, &said), "");
    EXPECT_NE(said.find("Deployment/tailscale/operator  operator"), std::string::npos) << said;
    EXPECT_NE(said.find(kWarning), std::string::npos) << said;
    world.expect_moved();
    world.loop.run_for(5 * kMinute);
    const std::size_t writes = world.kube.writes;
    EXPECT_EQ(run_to_end(world, plain_adopt, &said), "");
    EXPECT_EQ(world.kube.writes, writes) << "a second run has nothing to write";
    EXPECT_NE(said.find(kWarning), std::string::npos) << said;
    world.loop.run_for(std::chrono::hours(1));
    world.expect_moved();
}

TEST(OperatorDevice, IsMovedWithoutAController) {
    OperatorWorld world;
    EXPECT_EQ(run_to_end(world, plain_adopt), "");
    world.expect_moved();
}

// The controller has replaced the operator, and still has variables of the operator that it was not
// allowed to remove.
TEST(OperatorDevice, WaitsForTheOperatorsLastPod) {
    OperatorWorld world;
    const std::string deployment = FakeCluster::path("deployments", "operator");
    const std::string spec = R"("containers":[{"name":"operator",ARGS"env":[{"name":"PROXY_IMAGE"},
        {"name":"OPERATOR_SECRET","value":"operator"},{"name":"OPERATOR_NAMESPACE"}]}]})";
    const auto with = [&spec](std::string_view start, std::string_view args) {
        const std::string text = std::string(start) + spec;
        return std::move(*renderer::read_json(renderer::replace_all(text, "ARGS", args)));
    };
    const std::string_view ours = R"("args":["controller"],)";
    Value replaced = world.kube.find(deployment)->clone();
    replaced.find("spec")->put("template", Value::map({{"spec", with("{", ours)}}));
    world.kube.put(deployment, std::move(replaced));
    for (const auto& [name, args] :
         {std::pair("operator-new", ours), std::pair("operator-old", std::string_view()),
          std::pair("operator-evicted", std::string_view())}) {
        Value pod =
            Value::map({{"metadata", Value::map({{"name", Value(std::string_view(name))},
                                                 {"labels", Value::map({{"app", "operator"}})}})},
                        {"spec", with("{", args)}});
        put_if(pod, name == std::string_view("operator-evicted"), "status",
               Value::map({{"phase", "Failed"}}));
        world.kube.put(FakeCluster::path("pods", name), std::move(pod));
    }
    const Duration begun = world.loop.uptime();
    world.loop.after(20 * kSecond,
                     [&] { world.kube.erase(FakeCluster::path("pods", "operator-old")); });
    EXPECT_EQ(run_to_end(world, plain_adopt), "");
    EXPECT_GE(world.loop.uptime() - begun, 20 * kSecond);
    world.expect_moved();
}

TEST(OperatorDevice, StaysWhereNothingIsRenderedInItsPlace) {
    OperatorWorld world;
    world.kube.erase(FakeCluster::path("statefulsets", kSet));
    std::string said;
    EXPECT_EQ(run_to_end(world, plain_adopt, &said), "");
    EXPECT_EQ(said.find("still has the device"), std::string::npos) << said;
    EXPECT_EQ(world.moved_to(), "");
    EXPECT_EQ(world.kube.find(World::secret(kPod)), nullptr);
}

TEST(OperatorDevice, KilledAtAnyPointIsMovedByTheNextRun) {
    for (int requests = 0;; ++requests) {
        SCOPED_TRACE(requests);
        OperatorWorld world;
        world.start_controller();
        if (!run_and_kill(world, plain_adopt, requests)) {
            break;
        }
        world.loop.run_for(kMinute);
        EXPECT_EQ(world.cluster.doubles, 0);
        EXPECT_EQ(run_to_end(world, plain_adopt), "");
        world.expect_moved();
    }
}

TEST(OperatorDevice, IsLeftAloneWhenThePodHasAnother) {
    OperatorWorld world;
    world.tailnet.devices["nNEW"] = {"nNEW", "tailscale-operator-1", "", "tailscale-operator", {}};
    Value labels = Value::map({{Value(renderer::kSecretLabel), Value(renderer::kStateSecret)}});
    world.kube.put(
        World::secret(kPod),
        Value::map({{"metadata", Value::map({{"name", kPod}, {"labels", std::move(labels)}})}}));
    world.kube.set_datum(World::secret(kPod), "device_id", "nNEW");
    const std::string why =
        "Deployment/tailscale/operator (operator): \"kube-apiserver-proxy-0\" has joined as a new "
        "device, nNEW: delete Secrets \"kube-apiserver-proxy-0-auth\" and "
        "\"kube-apiserver-proxy-0\" and pod \"kube-apiserver-proxy-0\" and run adopt again, or "
        "delete Secret \"operator\"; the other device stays in the tailnet until you delete it";
    EXPECT_EQ(run_to_end(world, plain_adopt),
              "1 cannot be moved, so nothing is changed:\n  " + why +
                  "\n  --partial moves the rest; these then run without the operator");
    EXPECT_EQ(world.moved_to(), "");
    EXPECT_EQ(
        run_to_end(world, [](const OperateContext& context,
                             Next done) { adopt(context, {.partial = true}, std::move(done)); }),
        "");
    EXPECT_EQ(world.kube.datum(World::secret(kPod), "device_id"), "nNEW");
    EXPECT_EQ(world.moved_to(), "");
}

TEST(OperatorDevice, IsLeftAloneWhenThePodHasAKey) {
    OperatorWorld world;
    const std::string auth = World::secret(kPod + "-auth");
    world.cluster.refused_pods.insert(kPod);
    world.kube.put(auth, Value::map({{"metadata", Value::map({{"name", kPod + "-auth"}})}}));
    // A used key is blank: the pod may join with it at any moment.
    for (const std::string_view key : {"tskey-auth-own", ""}) {
        world.kube.set_datum(auth, "authkey", std::string(key));
        EXPECT_NE(run_to_end(world, plain_adopt)
                      .find("\"kube-apiserver-proxy-0\" was given a key of its own"),
                  std::string::npos);
        EXPECT_EQ(world.moved_to(), "");
    }
}

// The operator's copy of the state belongs to the pod.
TEST(OperatorDevice, StaysWhileTheOperatorRunsAgain) {
    OperatorWorld world;
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    world.cluster.add_operator();
    for (const auto verb : {roll_back, finish}) {
        EXPECT_NE(run_to_end(world, verb).find("the operator was started again"),
                  std::string::npos);
        EXPECT_EQ(world.device(), "nOPERATOR");
        EXPECT_EQ(world.moved_to(), kPod);
    }
}

TEST(OperatorDevice, GoesBackWithWhatHasBecomeOfIt) {
    OperatorWorld world;
    world.start_controller();
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    world.kube.set_datum(World::secret(kPod), "_machinekey", "privkey:renewed");
    std::string said;
    EXPECT_EQ(run_to_end(world, roll_back, &said), "");
    EXPECT_NE(said.find("kube-apiserver-proxy-0 -> operator\n"), std::string::npos) << said;
    EXPECT_EQ(said.find("still has the device"), std::string::npos) << said;
    EXPECT_EQ(said.find("the operator did not create it"), std::string::npos) << said;
    EXPECT_EQ(world.kube.datum(world.old, "_machinekey"), "privkey:renewed");
    EXPECT_EQ(world.moved_to(), "");
    world.loop.run_for(10 * kMinute);
    EXPECT_EQ(world.device(), "") << "what is still rendered gets no key";
    EXPECT_TRUE(world.tailnet.devices.contains("nOPERATOR"));
    EXPECT_EQ(run_to_end(world, plain_adopt), "");
    EXPECT_EQ(world.device(), "nOPERATOR");
}

TEST(OperatorDevice, ARollbackThatWasKilledIsCompletedByTheNext) {
    for (int requests = 0;; ++requests) {
        SCOPED_TRACE(requests);
        OperatorWorld world;
        ASSERT_EQ(run_to_end(world, plain_adopt), "");
        world.kube.set_datum(World::secret(kPod), "_machinekey", "privkey:renewed");
        if (!run_and_kill(world, roll_back, requests)) {
            break;
        }
        const std::string problem = run_to_end(world, roll_back);
        EXPECT_TRUE(problem.empty() || problem == "no record of an adoption") << problem;
        EXPECT_EQ(world.kube.datum(world.old, "_machinekey"), "privkey:renewed");
        EXPECT_EQ(world.moved_to(), "");
        EXPECT_EQ(world.cluster.doubles, 0);
    }
}

TEST(OperatorDevice, FinishRemovesTheCopyThatTheOperatorHad) {
    OperatorWorld world;
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    std::string said;
    EXPECT_EQ(run_to_end(world, finish, &said), "");
    EXPECT_EQ(said.find("are the operator's own"), std::string::npos) << said;
    EXPECT_EQ(world.kube.find(world.old), nullptr);
    EXPECT_EQ(world.device(), "nOPERATOR");
    EXPECT_EQ(run_to_end(world, roll_back), "no record of an adoption");
}

TEST(OperatorDevice, FinishRefusesBeforeItHasCome) {
    OperatorWorld world;
    Value object = world.kube.find(world.old)->clone();
    object.find("metadata")->put("annotations", Value::map({{Value(kMovedAnnotation), kPod}}));
    world.kube.put(world.old, std::move(object));
    EXPECT_EQ(run_to_end(world, finish),
              "Secret \"operator\" has the operator's own device, which is meant for "
              "\"kube-apiserver-proxy-0\": run adopt again, or delete the Secret");
    EXPECT_NE(world.kube.find(world.old), nullptr);
}

}  // namespace
}  // namespace runtime::adopt
