#include <fmt/format.h>

#include "runtime/testing/groups_test.h"

namespace runtime::controller {
namespace {

using renderer::Value;

TEST_F(GroupsTest, ComesBackWithinTheHourWhenSomeoneDeletesAService) {
    start_front();
    tailnet.services.erase("svc:docs");
    run(61 * kMinute);
    EXPECT_TRUE(tailnet.services.contains("svc:docs"));
}

// Another cluster has read the service before our write, and writes it without us.
TEST_F(GroupsTest, ALostOwnershipIsFoundSoonAfterAChange) {
    start_front();
    Value theirs = tailnet.services.at("svc:docs").clone();
    theirs.find("annotations")
        ->put("tailscale.com/owner-references", R"({"ownerRefs":[{"operatorID":"nOTHER"}]})");
    tailnet.services.insert_or_assign("svc:docs", std::move(theirs));
    run(10 * kMinute);
    EXPECT_NE(owners("svc:docs").find(R"({"operatorID":"nOTHER"},{"operatorID":")"),
              std::string::npos)
        << owners("svc:docs");
}

TEST_F(GroupsTest, WhatReturnsAfterHalfARemovalIsRegisteredAgain) {
    start_front();
    network.fault = [](const HttpRequest& request) {
        return request.method == "DELETE" && request.url.find("/secrets/docs.") != std::string::npos
                   ? Fault::Broken
                   : Fault::None;
    };
    cluster.offer("front", Value::map({{"broker.json", Value(kBroker)}}));
    run(6 * kMinute);
    ASSERT_FALSE(tailnet.services.contains("svc:docs"));
    ASSERT_NE(table("services").find("svc:docs"), std::string::npos);
    cluster.offer("front",
                  Value::map({{"docs.json", Value(kDocs)}, {"broker.json", Value(kBroker)}}));
    run(2 * kMinute);
    EXPECT_TRUE(tailnet.services.contains("svc:docs"));
}

TEST_F(GroupsTest, AddressesThatComeLaterAreWaitedFor) {
    start_front();
    const std::string before = table("front.json");
    Value& broker = tailnet.services.at("svc:broker");
    broker.erase("addrs");
    start(2);
    run(5 * kSecond);
    EXPECT_EQ(table("front.json"), before) << "it is not replaced by an empty table";
    broker.put("addrs", Value::list({"100.100.7.7"}));
    run(15 * kSecond);
    EXPECT_EQ(
        table("front.json"),
        R"({"svc:broker":{"IPv4Mapping":{"TailscaleServiceIP":"100.100.7.7","ClusterIP":"10.96.0.7"}}})");
}

TEST_F(GroupsTest, WritesANewTag) {
    start_front();
    std::string changed(kBroker);
    changed.replace(changed.find("tag:broker"), 10, "tag:queue");
    cluster.offer("front", Value::map({{"docs.json", Value(kDocs)}, {"broker.json", changed}}));
    run(5 * kSecond);
    EXPECT_EQ(tailnet.services.at("svc:broker").find("tags")->items()[0].text(), "tag:queue");
}

TEST_F(GroupsTest, ReportsARefusedTagAndTriesANewOneAtOnce) {
    tailnet.unowned_tags = {"tag:broker"};
    add_service("broker", Value::list({"10.96.0.7"}));
    cluster.add_group("front", 1, false);
    cluster.offer("front", Value::map({{"broker.json", Value(kBroker)}}));
    start();
    run(20 * kMinute);
    EXPECT_EQ(events("CannotRegisterService"),
              std::vector<std::string>{
                  "Service/broker: cannot register the Tailscale Service: tag \"tag:broker\" is "
                  "invalid or not permitted (HTTP status 400)"});
    std::string changed(kBroker);
    changed.replace(changed.find("tag:broker"), 10, "tag:queue");
    cluster.offer("front", Value::map({{"broker.json", changed}}));
    run(3 * kSecond);
    EXPECT_TRUE(tailnet.services.contains("svc:broker"));
}

TEST_F(GroupsTest, ReportsASecretOfAnotherOwner) {
    kube.put(secret("docs.tail1a2b3.ts.net"),
             Value::map({{"metadata", Value::map({{"name", "docs.tail1a2b3.ts.net"},
                                                  {"namespace", FakeCluster::kNamespace}})}}));
    add_ingress("docs");
    cluster.add_group("front", 1, false);
    cluster.offer("front", Value::map({{"docs.json", Value(kDocs)}}));
    start();
    run(kMinute);
    EXPECT_EQ(events("CannotRegisterService"),
              std::vector<std::string>{"Ingress/docs: Secret \"docs.tail1a2b3.ts.net\" exists and "
                                       "belongs to another user or controller"});
    EXPECT_FALSE(tailnet.services.contains("svc:docs"));
}

TEST_F(GroupsTest, ADomainThatIsTooLongForALabelIsShortenedThere) {
    const std::string made = "orders-" + std::string(56, 'a') + ".tail1a2b3.ts.net";
    const std::string taken = "parcels-" + std::string(55, 'a') + ".tail1a2b3.ts.net";
    const std::string label_of_made = "orders-" + std::string(47, 'a') + "-4e7d5aec";
    const std::string label_of_taken = "parcels-" + std::string(46, 'a') + "-fcc1264e";
    const auto offer = [](std::string_view service, const std::string& name) {
        return Value(
            fmt::format(R"({{"name":"svc:{}","parent":"Ingress/apps/{}","ports":["tcp:443"],)"
                        R"("tags":["tag:k8s"],"certificate":"{}"}})",
                        service, service, name));
    };
    kube.put(secret(taken),
             std::move(*renderer::read_json(
                 fmt::format(R"({{"metadata":{{"name":"{}","namespace":"tailscale","labels":{{)"
                             R"("tailscale.com/secret-type":"certs",)"
                             R"("tailscale.com/domain":"{}"}}}},"data":{{"tls.crt":"Y2hhaW4="}}}})",
                             taken, label_of_taken))));
    cluster.add_group("front", 1, false);
    cluster.offer("front", Value::map({{"orders.json", offer("orders", made)},
                                       {"parcels.json", offer("parcels", taken)}}));
    start();
    run(kMinute);
    EXPECT_TRUE(tailnet.services.contains("svc:orders"));
    EXPECT_TRUE(tailnet.services.contains("svc:parcels"));
    ASSERT_NE(kube.find(secret(made)), nullptr);
    EXPECT_EQ(renderer::text_of(
                  kube.find(secret(made))->at({"metadata", "labels", "tailscale.com/domain"})),
              label_of_made);
    EXPECT_EQ(kube.datum(secret(taken), "tls.crt"), "chain");
}

TEST_F(GroupsTest, ReportsARemovalThatFails) {
    start_front();
    network.fault = [](const HttpRequest& request) {
        return request.method == "DELETE" && request.url.ends_with("/svc:docs") ? Fault::Broken
                                                                                : Fault::None;
    };
    cluster.offer("front", Value::map({{"broker.json", Value(kBroker)}}));
    run(20 * kMinute);
    EXPECT_EQ(events("CannotRemove"),
              std::vector<std::string>{"ConfigMap/tailrender-devices: cannot remove \"svc:docs\": "
                                       "fault (HTTP status 500)"});
    network.fault = [](const HttpRequest&) { return Fault::None; };
    run(20 * kMinute);
    EXPECT_FALSE(tailnet.services.contains("svc:docs"));
}

TEST_F(GroupsTest, LeavesAForeignServiceAloneAndSaysSo) {
    tailnet.services.emplace("svc:docs", Value::map({{"name", "svc:docs"},
                                                     {"addrs", Value::list({"100.100.9.9"})},
                                                     {"tags", Value::list({"tag:prod"})}}));
    add_ingress("docs");
    cluster.add_group("front", 1, false);
    cluster.offer("front", Value::map({{"docs.json", Value(kDocs)}}));
    start();
    run(kMinute);
    EXPECT_EQ(tailnet.services.at("svc:docs").find("tags")->items()[0].text(), "tag:prod");
    EXPECT_EQ(events("InvalidTailscaleService"),
              std::vector<std::string>{"Ingress/docs: Tailscale Service \"svc:docs\" exists and "
                                       "was not created by a cluster"});
    EXPECT_TRUE(events("CannotRegisterService").empty()) << "only one Event reports it";
    cluster.offer("front", Value::map());
    run(10 * kMinute);
    EXPECT_TRUE(tailnet.services.contains("svc:docs"));
}

TEST_F(GroupsTest, AnotherClustersOwnershipSurvivesOurs) {
    start_front();
    Value shared = tailnet.services.at("svc:docs").clone();
    const std::string ours = owners("svc:docs");
    shared.find("annotations")
        ->put("tailscale.com/owner-references",
              ours.substr(0, ours.size() - 2) + R"(,{"operatorID":"nOTHER"}]})");
    tailnet.services.insert_or_assign("svc:docs", std::move(shared));
    cluster.offer("front", Value::map());
    run(6 * kMinute);
    confirm_blocked("blocked-services.json");
    run(kMinute);
    EXPECT_EQ(owners("svc:docs"), R"({"ownerRefs":[{"operatorID":"nOTHER"}]})");
    EXPECT_FALSE(tailnet.services.contains("svc:broker"));
}

TEST_F(GroupsTest, AHostnameMovesFromGroupToGroup) {
    constexpr std::string_view kIngressOfApi =
        R"({"name":"svc:api","parent":"Ingress/apps/docs","ports":["tcp:443"],"tags":["tag:k8s"],"certificate":"api.tail1a2b3.ts.net"})";
    std::string renamed(kApi);
    renamed.replace(renamed.find("ProxyGroup/kube"), 15, "ProxyGroup/next");
    add_ingress("docs");
    cluster.add_group("kube", 1, true);
    cluster.add_group("next", 1, true);
    cluster.add_group("front", 1, false);
    start();
    std::string last;
    for (const auto& [group, offer, owner] :
         {std::tuple("kube", std::string(kApi), R"("name":"kube")"),
          std::tuple("next", renamed, R"("name":"next")"),
          std::tuple("front", std::string(kIngressOfApi), R"({"operatorID":)"),
          std::tuple("kube", std::string(kApi), R"("name":"kube")")}) {
        SCOPED_TRACE(offer);
        if (!last.empty()) {
            cluster.offer(last, Value::map());
        }
        cluster.offer(group, Value::map({{"api.json", offer},
                                         {std::string(group) + "-0.hujson",
                                          R"({"Version":"v1alpha1","Hostname":"h"})"}}));
        last = group;
        run(kMinute);
        ASSERT_TRUE(tailnet.services.contains("svc:api"));
        EXPECT_NE(owners("svc:api").find(owner), std::string::npos) << owners("svc:api");
        EXPECT_EQ(owners("svc:api").find("resource") == std::string::npos, last == "front");
    }
    EXPECT_TRUE(events("InvalidTailscaleService").empty());
    cluster.offer("kube", Value::map());
    run(6 * kMinute);
    EXPECT_TRUE(tailnet.services.empty());
}

TEST_F(GroupsTest, KnowsItsServicesAfterTheLedgerWasLost) {
    const std::string ledger = FakeCluster::path("configmaps", "tailrender-devices");
    const std::string addresses = FakeCluster::path("configmaps", renderer::kIngressAddresses);
    cluster.add_group("kube", 1, true);
    cluster.offer("kube",
                  Value::map({{"api.json", Value(kApi)},
                              {"kube-0.hujson", R"({"Version":"v1alpha1","Hostname":"kube-0"})"}}));
    start();
    run(kMinute);
    const std::string before = owners("svc:api");
    const std::string mark = table("owner");
    ASSERT_NE(before.find(mark), std::string::npos) << before << mark;
    for (const auto& [name, path, dies_first] :
         {std::tuple("ledger", ledger, false), std::tuple("ledger", ledger, true),
          std::tuple("table", addresses, true), std::tuple("table", addresses, false)}) {
        SCOPED_TRACE(std::string(name) + (dies_first ? ", while no controller runs" : ""));
        if (dies_first) {
            process.reset();
        }
        kube.erase(path);
        run(kMinute);
        start(2);
        tailnet.keys["kLOST"] = {"kLOST", "secret", mark, {"tag:k8s"}, loop.now() + 60 * kMinute};
        run(5 * kMinute);
        EXPECT_EQ(owners("svc:api"), before);
        EXPECT_TRUE(tailnet.usable_keys().empty());
        EXPECT_EQ(table("owner"), mark);
        EXPECT_EQ(renderer::text_of(kube.find(ledger)->at({"data", "owner"})), mark);
    }
    EXPECT_TRUE(events("InvalidTailscaleService").empty());
    cluster.offer("kube", Value::map());
    run(10 * kMinute);
    EXPECT_TRUE(tailnet.services.empty());
}

}  // namespace
}  // namespace runtime::controller
