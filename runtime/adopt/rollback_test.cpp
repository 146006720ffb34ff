#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "renderer/contract/labels.h"
#include "runtime/adopt/adopt_record.h"
#include "runtime/testing/adopt_run.h"

namespace runtime::adopt {
namespace {

using operate::OperateContext;
using renderer::Value;

TEST(Rollback, GoesBackToWhereItCameFrom) {
    World world;
    world.start_controller();
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    ASSERT_EQ(run_to_end(world, roll_back), "");
    world.expect_gone_back();
    // The operator has not written its StatefulSets yet.
    world.roll_group();
    world.expect_gone_back();
    // Adopt once more.
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    world.expect_adopted();
}

// By a labelled auth Secret, the controller would recognize the operator's Secrets as its own.
TEST(Rollback, WhatHasKeptItsNameIsNoLongerTheControllers) {
    World world(1);
    world.start_controller();
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    ASSERT_EQ(run_to_end(world, roll_back), "");
    for (const char* set : {"out", "tape"}) {
        Value object = world.kube.find(FakeCluster::path("statefulsets", set))->clone();
        object.find("metadata")->erase("annotations");  // the operator has written it again
        world.kube.put(FakeCluster::path("statefulsets", set), std::move(object));
    }
    world.loop.run_for(10 * kMinute);
    world.expect_gone_back();
    for (const std::string name : {"out-0", "out-1", "tape-0"}) {
        const Value& auth = *world.kube.find(World::secret(name + "-auth"));
        EXPECT_EQ(controller::label_of(auth, renderer::kSecretLabel), renderer::kReturnedSecret);
        EXPECT_FALSE(controller::decode_auth_secret(auth).has_value());
    }
}

// The replica has got another device from the operator meanwhile.
TEST(Rollback, AnotherDeviceIsTheReplicasAfterTheNextAdoption) {
    World world(1);
    world.start_controller();
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    ASSERT_EQ(run_to_end(world, roll_back), "");
    world.controller.reset();
    world.kube.set_datum(World::secret("tape-0"), "device_id", "nNEW");
    world.kube.set_datum(World::secret("tape-0"), "profile-1", R"({"Config":{"NodeID":"nNEW"}})");
    world.tailnet.devices["nNEW"] = {"nNEW", "tape-1", "", "tape", {"tag:other"}};
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    const auto auth =
        controller::decode_auth_secret(*world.kube.find(World::secret("tape-0-auth")));
    ASSERT_TRUE(auth.has_value());
    EXPECT_EQ(auth->device, "nNEW");
    EXPECT_EQ(auth->device_name, "");
}

TEST(Rollback, LeadsBackWhatTheRenderedManifestsHaveLedAway) {
    World world(1);
    Value service = world.kube.find(user_service(parent(0)))->clone();
    const std::string domain = world.externally(0).substr(old_set(0).size());
    service.find("spec")->put("externalName", new_set(0) + domain);
    world.kube.put(user_service(parent(0)), std::move(service));
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    ASSERT_EQ(run_to_end(world, roll_back), "");
    world.expect_gone_back();
}

TEST(Rollback, GivesTheOperatorTheReplicasThatAdoptHasTaken) {
    const std::string done =
        "done; now remove the rendered manifests from the repository of the cluster";
    for (const int replicas : {0, 1, 2}) {
        SCOPED_TRACE(replicas);
        World world(1);
        const std::string path = FakeCluster::path("deployments", "operator");
        Value deployment = world.kube.find(path)->clone();
        deployment.find("spec")->put("replicas", replicas);
        world.kube.put(path, std::move(deployment));
        std::string said;
        ASSERT_EQ(run_to_end(world, plain_adopt), "");
        EXPECT_EQ(world.kube.find(path)->at({"spec", "replicas"})->as_int(), 0);
        ASSERT_EQ(run_to_end(world, roll_back, &said), "");
        EXPECT_EQ(world.kube.find(path)->at({"spec", "replicas"})->as_int(), replicas);
        const std::string end =
            replicas == 0 ? "\nthe operator is stopped\n" + done + ", then start the operator\n"
                          : fmt::format("\nthe operator is scaled to {}\n{}\n", replicas, done);
        EXPECT_TRUE(said.ends_with(end)) << said;
    }
}

TEST(Rollback, KilledAtAnyPointIsCompletedByTheNextRun) {
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
        world.expect_gone_back();
        if (testing::Test::HasFailure()) {
            return;
        }
    }
}

TEST(Rollback, GoesBackFromWhereAnAdoptionWasKilled) {
    for (int requests = 0;; ++requests) {
        SCOPED_TRACE(requests);
        World world(1);
        world.start_controller();
        if (!run_and_kill(world, plain_adopt, requests)) {
            break;
        }
        world.loop.run_for(kSecond);
        const std::string problem = run_to_end(world, roll_back);
        if (problem != "no record of an adoption") {
            ASSERT_EQ(problem, "");
            world.expect_devices();
            world.expect_nothing_taken();
        }
        if (testing::Test::HasFailure()) {
            return;
        }
    }
}

TEST(Rollback, GoesOnFromWhereARollbackWasKilled) {
    for (int requests = 0;; ++requests) {
        SCOPED_TRACE(requests);
        World world(2);
        world.start_controller();
        ASSERT_EQ(run_to_end(world, plain_adopt), "");
        world.kube.set_datum(World::secret(new_set(0) + "-0"), "_newest", "yes");
        if (!run_and_kill(world, roll_back, requests)) {
            break;
        }
        world.loop.run_for(requests % 2 == 0 ? 10 * kMinute : kSecond);
        ASSERT_EQ(run_to_end(world, plain_adopt), "");
        world.expect_adopted();
        EXPECT_EQ(world.kube.datum(World::secret(new_set(0) + "-0"), "_newest"), "yes");
        if (testing::Test::HasFailure()) {
            return;
        }
    }
}

TEST(Rollback, ReleasesOnlyReplicasWhoseDeviceWasDeleted) {
    World world(1);
    world.cluster.add_operator_proxy("ts-ha-qwxyz", "ha", 2, 2);
    world.cluster.add_proxy("ts-ha-bcdfg", 2, "tag:k8s", "ha");
    world.start_controller();
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    world.cluster.add_proxy("ts-ha-bcdfg", 1, "tag:k8s", "ha");
    world.loop.run_for(10 * kMinute);
    ASSERT_FALSE(world.tailnet.devices.contains("nOLD-ha-1"));
    ASSERT_EQ(run_to_end(world, roll_back), "");
    EXPECT_EQ(world.cluster.doubles, 0);
    EXPECT_EQ(world.kube.datum(World::secret("ts-ha-qwxyz-0"), "device_id"), "nOLD-ha");
    EXPECT_EQ(world.kube.datum(World::secret("ts-ha-qwxyz-1"), "profile-1"), "");
    EXPECT_EQ(world.kube.datum(World::secret("ts-ha-qwxyz-1"), "cap-107.hujson"), "{}");
    EXPECT_EQ(world.kube.find(World::secret(record_name("ts-ha-qwxyz"))), nullptr);
}

TEST(Rollback, SaysWhoseDeviceWasDeleted) {
    World world(1);
    world.start_controller();
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    world.cluster.remove_proxy(new_set(0));
    world.loop.run_for(10 * kMinute);
    std::string said;
    ASSERT_EQ(run_to_end(world, roll_back, &said), "");
    EXPECT_NE(
        said.find("ts-web0-qwxyz: its device was deleted; the operator will create a new proxy\n"),
        std::string::npos)
        << said;
    EXPECT_EQ(world.kube.find(FakeCluster::path("statefulsets", old_set(0))), nullptr);
}

TEST(Rollback, GivesBackWhatHasNeverJoined) {
    World world(1, 1);
    world.tailnet.unowned_tags = {"tag:k8s"};
    world.start_controller();
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    ASSERT_NE(world.kube.find(World::secret(new_set(0) + "-0")), nullptr);
    ASSERT_EQ(run_to_end(world, roll_back), "");
    world.loop.run_for(10 * kMinute);
    EXPECT_EQ(world.kube.find(World::secret(new_set(0) + "-0")), nullptr)
        << "the operator fails on it";
    EXPECT_EQ(world.kube.datum(World::secret(old_set(0) + "-0"), "cap-107.hujson"), "{}");
    const Value* set = world.kube.find(FakeCluster::path("statefulsets", old_set(0)));
    ASSERT_NE(set, nullptr);
    EXPECT_EQ(set->at({"spec", "replicas"})->as_int(), 1);
}

TEST(Rollback, SaysWhatIsNewSinceTheAdoption) {
    World world(1);
    world.start_controller();
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    world.cluster.add_proxy("ts-new-bcdfg", 2, "tag:k8s", "new");
    world.loop.run_for(kMinute);
    std::string said;
    ASSERT_EQ(run_to_end(world, roll_back, &said), "");
    EXPECT_NE(
        said.find(
            "\nts-new-bcdfg: the operator did not create it, and fails on its Secrets: remove "
            "its manifests, and keep the controller until `tailrender-runtime status` "
            "no longer shows it\n"),
        std::string::npos)
        << said;
    EXPECT_EQ(said.find("bcdfg: the operator did not"), said.rfind("bcdfg: the operator did not"))
        << said;
}

TEST(Rollback, GoesOnBehindOneThatDoesNotComeBack) {
    World world(3);
    world.start_controller();
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    world.cluster.refused_pods = {old_set(0) + "-0", old_set(1) + "-0"};
    EXPECT_EQ(run_to_end(world, roll_back),
              "pod \"ts-web0-qwxyz-0\" has not rejoined with its device\n"
              "pod \"ts-web1-qwxyz-0\" has not rejoined with its device");
    const auto has_record = [&world](int i) {
        return world.kube.find(World::secret(record_name(old_set(i)))) != nullptr;
    };
    EXPECT_TRUE(has_record(0));
    EXPECT_FALSE(has_record(2));
    const Value* its_operator = world.kube.find(FakeCluster::path("deployments", "operator"));
    EXPECT_EQ(its_operator->at({"spec", "replicas"})->as_int(), 1);
    EXPECT_EQ(world.kube.datum(World::secret(old_set(2) + "-0"), "device_id"), "nOLD-" + parent(2));
    world.cluster.refused_pods.clear();
    EXPECT_EQ(run_to_end(world, roll_back), "");
    EXPECT_EQ(world.devices_that_run(), 3);
    EXPECT_FALSE(has_record(0));
}

TEST(Rollback, FinishForgetsTheRecords) {
    World world;
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    ASSERT_NE(world.kube.find(World::secret(record_name(old_set(0)))), nullptr);
    ASSERT_EQ(run_to_end(world, finish), "");
    EXPECT_EQ(world.kube.find(World::secret(record_name(old_set(0)))), nullptr);
    EXPECT_EQ(world.kube.find(World::secret(std::string(kOperatorRecord))), nullptr);
    const std::size_t writes = world.kube.writes;
    std::string said;
    EXPECT_EQ(run_to_end(world, roll_back, &said), "no record of an adoption");
    EXPECT_EQ(said, "") << "advice to take the proxies away";
    EXPECT_EQ(run_to_end(world, finish, &said), "");
    EXPECT_EQ(said, "no record of an adoption\n");
    EXPECT_EQ(world.kube.writes, writes);
}

TEST(Rollback, FinishSaysWhatIsTheOperatorsOwn) {
    World world(1);
    const std::string state = World::secret("operator");
    world.kube.put(state, Value::map({{"metadata", Value::map({{"name", "operator"}})}}));
    world.kube.set_datum(state, "_current-profile", "profile-1");
    world.kube.set_datum(state, "profile-1", R"({"Config":{"NodeID":"nOPERATOR"}})");
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    std::string said;
    ASSERT_EQ(run_to_end(world, finish, &said), "");
    EXPECT_TRUE(
        said.ends_with("\nSecret \"operator\" and device nOPERATOR in the tailnet are the "
                       "operator's own: delete both unless you want it back\n"))
        << said;
    EXPECT_NE(world.kube.find(state), nullptr);
    ASSERT_EQ(run_to_end(world, finish, &said), "");
    EXPECT_EQ(said, "no record of an adoption\n");
}

// The operator's k8s-proxy and the rendered tailrender-proxy have their configurations in one
// Secret. As long as a rollback is possible, k8s-proxy has to find its own.
struct ApiGroupWorld : World {
    ApiGroupWorld() : World(1) {
        for (const std::string name : {"kube-0", "kube-0-config"}) {
            kube.put(secret(name), Value::map({{"metadata", Value::map({{"name", name}})}}));
        }
        kube.set_datum(config, "config.hujson", R"({"AuthKey":"tskey-auth-1"})");
        kube.set_datum(config, "cap-106.hujson", "{}");
        cluster.log_in("kube-0", "kube");
        cluster.add_group("kube", 1, false);
    }
    std::string key() { return kube.datum(config, "config.hujson"); }
    const std::string config = secret("kube-0-config");
};

TEST(Rollback, FindsTheConfigurationOfAnApiProxy) {
    ApiGroupWorld world;
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    EXPECT_NE(world.key(), "");
    ASSERT_EQ(run_to_end(world, roll_back), "");
    EXPECT_NE(world.key(), "");
}

TEST(Rollback, FinishRemovesTheConfigurationOfAnApiProxy) {
    ApiGroupWorld world;
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    world.cluster.add_operator();
    EXPECT_NE(run_to_end(world, finish).find("the operator was started again"), std::string::npos);
    EXPECT_NE(world.key(), "");
    ASSERT_EQ(run_to_end(world, plain_adopt), "");
    for (int requests = 0; run_and_kill(world, finish, requests); ++requests) {
    }
    EXPECT_EQ(world.kube.find(world.config)->at({"data", "config.hujson"}), nullptr);
    EXPECT_EQ(world.kube.datum(world.config, "cap-106.hujson"), "{}");
    EXPECT_EQ(world.kube.datum(World::secret("kube-0"), "device_id"), "nOLD-kube");
    EXPECT_EQ(run_to_end(world, roll_back), "no record of an adoption");
}

TEST(Rollback, FinishRefusesBeforeTheEnd) {
    std::set<std::string> refused;
    for (int requests = 0;; ++requests) {
        SCOPED_TRACE(requests);
        World world(1);
        if (!run_and_kill(world, plain_adopt, requests)) {
            break;
        }
        const std::string problem = run_to_end(world, finish);
        refused.insert(problem.substr(0, problem.find(' ')));
        for (const std::string name : {"out-0", "out-1", "tape-0"}) {
            const bool has_begun = world.kube.find(World::secret(name + "-auth")) != nullptr;
            if (has_begun && !controller::decode_state_secret(*world.kube.find(World::secret(name)))
                                  .has_value()) {
                EXPECT_EQ(problem, name + " is only partly moved: run adopt again");
            }
        }
    }
    EXPECT_EQ(refused, (std::set<std::string>{"", "out-0", "out-1", "tape-0", old_set(0)}));
}

TEST(Rollback, IsPromisedOnlyWithARecord) {
    World world(1);
    std::string said;
    ASSERT_EQ(run_to_end(world, plain_adopt, &said), "");
    EXPECT_TRUE(said.ends_with(
        "\ndone; `tailrender-adopt --rollback` can go back until `tailrender-adopt --finish` "
        "removes the records\n"))
        << said;
    ASSERT_EQ(run_to_end(world, finish), "");
    ASSERT_EQ(run_to_end(world, plain_adopt, &said), "");
    EXPECT_TRUE(said.ends_with("\ndone\n")) << said;
}

TEST(Rollback, RefusesANamespaceWithoutAnything) {
    World world(1);
    const std::size_t writes = world.kube.writes;
    for (const auto& verb : {roll_back, finish}) {
        const auto elsewhere = [verb](const OperateContext& context, Next done) {
            OperateContext other = context;
            other.ns = "default";
            verb(other, std::move(done));
        };
        EXPECT_EQ(run_to_end(world, elsewhere),
                  "namespace \"default\" has neither Deployment \"operator\" nor rendered proxies: "
                  "pass their namespace with -n NAMESPACE");
    }
    EXPECT_EQ(world.kube.writes, writes);
}

}  // namespace
}  // namespace runtime::adopt
