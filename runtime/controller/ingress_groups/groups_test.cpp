#include "runtime/testing/groups_test.h"

#include "runtime/controller/ingress_groups/group_objects.h"
#include "runtime/controller/view/api_proxy_config.h"

namespace runtime::controller {
namespace {

using renderer::text_of;
using renderer::Value;

TEST_F(GroupsTest, RegistersWhatAGroupOffers) {
    start_front();
    const Value& docs = tailnet.services.at("svc:docs");
    EXPECT_EQ(docs.find("ports")->items()[0].text(), "tcp:443");
    EXPECT_EQ(tailnet.services.at("svc:broker").find("tags")->items()[0].text(), "tag:broker");
    const Value* certificate = kube.find(secret("docs.tail1a2b3.ts.net"));
    ASSERT_NE(certificate, nullptr);
    EXPECT_EQ(text_of(certificate->at({"data", "tls.crt"})), "");
    const std::string address(tailnet.services.at("svc:broker").find("addrs")->items()[0].text());
    EXPECT_EQ(table("front.json"), R"({"svc:broker":{"IPv4Mapping":{"TailscaleServiceIP":")" +
                                       address + R"(","ClusterIP":"10.96.0.7"}}})");
}

TEST_F(GroupsTest, WritesTheRecordBeforeTheService) {
    network.fault = [](const HttpRequest& request) {
        return request.method == "PUT" && request.url.find("vip-services") != std::string::npos
                   ? Fault::LostReply
                   : Fault::None;
    };
    cluster.add_group("front", 1, false);
    cluster.offer("front", Value::map({{"docs.json", Value(kDocs)}}));
    start();
    bool seen = false;
    for (int i = 0; i < 2000 && !seen; ++i) {
        run(Duration(10));
        seen = tailnet.services.contains("svc:docs");
        EXPECT_TRUE(!seen || table("services").find("svc:docs") != std::string::npos);
    }
    EXPECT_TRUE(seen);
}

TEST_F(GroupsTest, WritesAndRequestsNothingWithoutAChange) {
    start_front();
    run(10 * kMinute);  // every service has been read a second time
    const std::size_t writes = kube.writes;
    const std::size_t asked = requests("GET", "vip-services");
    run(50 * kMinute);
    EXPECT_EQ(kube.writes, writes);
    EXPECT_EQ(requests("GET", "vip-services"), asked);
    const std::size_t puts = requests("PUT", "vip-services");
    start(2);  // a new process reads each service once
    run(kMinute);
    EXPECT_EQ(kube.writes, writes);
    EXPECT_EQ(requests("GET", "vip-services"), asked + 2);
    EXPECT_EQ(requests("PUT", "vip-services"), puts);
}

TEST_F(GroupsTest, RemovesWhatIsNoLongerOfferedAfterTheDelay) {
    start_front();
    cluster.offer("front", Value::map());
    run(kMinute);
    EXPECT_TRUE(tailnet.services.contains("svc:docs"));
    EXPECT_NE(table("front.json"), "") << "pods serve it until then";
    start(2);  // the process that removes it need not be the one that registered it
    run(5 * kMinute);
    EXPECT_EQ(tailnet.services.size(), 2U) << "the guard blocks the removal of all of them";
    confirm_blocked("blocked-services.json");
    run(kMinute);
    EXPECT_TRUE(tailnet.services.empty());
    EXPECT_EQ(kube.find(secret("docs.tail1a2b3.ts.net")), nullptr);
    EXPECT_EQ(table("services"), "");
    EXPECT_EQ(table("front.json"), "");
    const std::size_t writes = kube.writes;
    run(5 * kMinute);
    EXPECT_EQ(kube.writes, writes);
}

TEST_F(GroupsTest, WhatReturnsWithinTheDelayStays) {
    start_front();
    const Value data = Value::map({{"docs.json", Value(kDocs)}, {"broker.json", Value(kBroker)}});
    cluster.offer("front", Value::map());
    run(4 * kMinute);
    cluster.offer("front", data);
    run(10 * kMinute);
    EXPECT_EQ(requests("DELETE", "vip-services"), 0U);
    cluster.offer("front", Value::map());
    run(4 * kMinute);
    network.fault = [](const HttpRequest& request) {
        return request.url.find("configmaps?") != std::string::npos ? Fault::Refused : Fault::None;
    };
    kube.drop_watches();
    cluster.offer("front", data);
    run(10 * kMinute);
    EXPECT_EQ(tailnet.services.size(), 2U) << "the API server is asked right before a removal";
}

TEST_F(GroupsTest, AnotherNameOfTheTailnetIsAnotherCertificate) {
    start_front();
    std::string changed(kDocs);
    changed.replace(changed.find("tail1a2b3"), 9, "tail9z8y7");
    cluster.offer("front", Value::map({{"docs.json", changed}, {"broker.json", kBroker}}));
    run(10 * kSecond);
    EXPECT_EQ(kube.find(secret("docs.tail1a2b3.ts.net")), nullptr);
    EXPECT_NE(kube.find(secret("docs.tail9z8y7.ts.net")), nullptr);
    cluster.offer("front", Value::map({{"broker.json", kBroker}}));
    run(10 * kMinute);
    EXPECT_EQ(kube.find(secret("docs.tail9z8y7.ts.net")), nullptr);
}

TEST_F(GroupsTest, TakesOverTheCertificateOfTheOperator) {
    Offer docs;
    docs.parent = "Ingress/apps/docs";
    docs.certificate = "docs.tail1a2b3.ts.net";
    Value theirs = certificate_secret(FakeCluster::kNamespace, "front", docs);
    theirs.find("metadata")->find("labels")->erase("tailrender.dev/secret");
    theirs.find("metadata")->erase("annotations");
    theirs.find("data")->put("tls.crt", "Y2hhaW4=");
    kube.put(secret("docs.tail1a2b3.ts.net"), theirs.clone());
    theirs.find("metadata")->find("labels")->erase("tailscale.com/secret-type");
    theirs.find("metadata")->put("name", "api.tail1a2b3.ts.net");
    kube.put(secret("api.tail1a2b3.ts.net"), theirs.clone());
    cluster.add_group("front", 1, false);
    cluster.offer("front", Value::map({{"docs.json", Value(kDocs)}, {"api.json", Value(kApi)}}));
    start();
    run(kMinute);
    EXPECT_TRUE(tailnet.services.contains("svc:docs"));
    EXPECT_EQ(kube.datum(secret("docs.tail1a2b3.ts.net"), "tls.crt"), "chain");
    EXPECT_FALSE(tailnet.services.contains("svc:api"))
        << "the Secret with its name has no label of a certificate";
}

TEST_F(GroupsTest, MakesTheSecretOfAccountsThatPodsLookFor) {
    start_front();
    EXPECT_EQ(kube.find(secret("tailscale-acme-accounts")), nullptr);
    const std::string path = FakeCluster::path("statefulsets", "front");
    Value set = kube.find(path)->clone();
    Value& pod = *set.find("spec")->find("template")->find("spec");
    Value& container = pod.find("containers")->items()[0];
    container.put("env", Value::list({Value::map({{"name", "TS_ACME_ACCOUNT_SECRET_NAME"}})}));
    kube.put(path, set.clone());
    run(kMinute);
    const Value* made = kube.find(secret("tailscale-acme-accounts"));
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(made->find("data"), nullptr);
    EXPECT_EQ(*made->at({"metadata", "finalizers"}),
              Value::list({"tailscale.com/acme-account-protection"}));
    // The controller keeps the data that the pods have written.
    Value filled = made->clone();
    filled.put("data", Value::map({{"_default.acme-account.key.pem", "a2V5"}}));
    kube.put(secret("tailscale-acme-accounts"), filled.clone());
    run(std::chrono::hours(2));
    EXPECT_EQ(kube.datum(secret("tailscale-acme-accounts"), "_default.acme-account.key.pem"),
              "key");
}

TEST_F(GroupsTest, AnUnreadableConfigMapRemovesNothing) {
    start_front();
    cluster.offer("front", Value::map({{"docs.json", "{"}}));
    run(20 * kMinute);
    EXPECT_EQ(tailnet.services.size(), 2U);
    EXPECT_EQ(table("services").find("goneSince"), std::string::npos);
    Value other = kube.find(FakeCluster::path("configmaps", "tailrender-group-front"))->clone();
    other.find("metadata")->find("annotations")->put("tailrender.dev/contract", "v9");
    other.put("data", Value::map());
    kube.put(FakeCluster::path("configmaps", "tailrender-group-front"), std::move(other));
    run(20 * kMinute);
    EXPECT_EQ(tailnet.services.size(), 2U);
    EXPECT_NE(kube.find(secret("docs.tail1a2b3.ts.net")), nullptr);
}

TEST_F(GroupsTest, AConfigurationWithoutAPlaceForItsKeyGetsNone) {
    cluster.add_group("kube", 1, true);
    cluster.offer("kube", Value::map({{"api.json", Value(kApi)},
                                      {"kube-0.hujson", R"({"Hostname":"kube-0"})"}}));
    start();
    run(5 * kMinute);
    EXPECT_TRUE(tailnet.keys.empty());
    EXPECT_EQ(events("InvalidGroup"),
              std::vector<std::string>{"ConfigMap/tailrender-group-kube: \"kube-0.hujson\" has no "
                                       "\"Version\""});
    cluster.offer("kube",
                  Value::map({{"api.json", Value(kApi)},
                              {"kube-0.hujson", R"({"Version":"v1alpha1","Hostname":"kube-0"})"}}));
    run(kMinute);
    EXPECT_EQ(tailnet.devices.size(), 1U);
    EXPECT_EQ(tailnet.keys.size(), 1U);
}

TEST_F(GroupsTest, LeavesARenderedConfigSecretToTheApplier) {
    const std::string path = secret("kube-0-config");
    const Value rendered = Value::map({{"metadata", Value::map({{"name", "kube-0-config"}})},
                                       {"data", Value::map({{"cap-106.hujson", "e30="}})}});
    kube.put(path, rendered.clone());
    cluster.add_group("kube", 1, true);
    cluster.offer("kube", Value::map({{"kube-0.hujson", R"({"Version":"v1alpha1"})"}}));
    start();
    run(5 * kMinute);
    EXPECT_EQ(kube.datum(path, "cap-106.hujson"), "{}");
    EXPECT_TRUE(tailnet.keys.empty());
    EXPECT_EQ(
        events("CannotMintKey"),
        std::vector<std::string>{"ProxyGroup/kube: kube-0: Secret \"kube-0-config\" exists and "
                                 "is not the controller's; if nothing renders it any more, "
                                 "delete it"});
    kube.erase(path);
    run(5 * kMinute);
    EXPECT_EQ(tailnet.devices.size(), 1U);
}

TEST_F(GroupsTest, AnUnreadableConfigMapWithdrawsNoRunningApi) {
    cluster.add_group("kube", 1, true);
    Value data = Value::map({{"api.json", Value(kApi)},
                             {"kube-0.hujson", R"({"Version":"v1alpha1","Hostname":"kube-0"})"}});
    cluster.offer("kube", data);
    start();
    run(kMinute);
    fill_certificate("api.tail1a2b3.ts.net", "first");
    run(kMinute);
    const std::string before = kube.datum(secret("kube-0-config"), "config.hujson");
    ASSERT_NE(before.find(R"("AdvertiseServices":["svc:api"])"), std::string::npos) << before;
    data.put("api.json", "{");
    cluster.offer("kube", data);
    run(20 * kMinute);
    EXPECT_EQ(kube.datum(secret("kube-0-config"), "config.hujson"), before);
    EXPECT_EQ(
        events("InvalidGroup"),
        std::vector<std::string>{"ConfigMap/tailrender-group-kube: \"api.json\" cannot be read"});
}

TEST_F(GroupsTest, NothingIsRemovedWhenManyDisappear) {
    cluster.add_group("front", 1, false);
    Value data = Value::map();
    for (int i = 0; i < 6; ++i) {
        const std::string host = "s" + std::to_string(i);
        data.put(
            host + ".json",
            R"({"name":"svc:)" + host +
                R"(","parent":"Service/apps/x","ports":["do-not-validate"],"tags":["tag:k8s"]})");
    }
    cluster.offer("front", data);
    start();
    run(kMinute);
    ASSERT_EQ(tailnet.services.size(), 6U);
    cluster.offer("front", Value::map());
    run(20 * kMinute);
    EXPECT_TRUE(process->controller.counts().blocks_services);
    EXPECT_FALSE(process->controller.counts().blocks_proxies);
    EXPECT_EQ(tailnet.services.size(), 6U);
    const std::string ledger = FakeCluster::path("configmaps", "tailrender-devices");
    const auto blocked =
        renderer::read_json(text_of(kube.find(ledger)->at({"data", "blocked-services.json"})));
    ASSERT_TRUE(blocked.has_value());
    Value confirmed = kube.find(ledger)->clone();
    Value& metadata = *confirmed.find("metadata");
    metadata.put("annotations", Value::map());
    metadata.find("annotations")
        ->put("tailrender.dev/confirm-removals", Value(text_of(blocked->find("token"))));
    kube.put(ledger, std::move(confirmed));
    run(kMinute);
    EXPECT_TRUE(tailnet.services.empty()) << "a user has confirmed it";
    EXPECT_FALSE(process->controller.counts().blocks_services);
}

TEST_F(GroupsTest, ParentsGetTheirStatusOnceAReplicaAdvertises) {
    start_front();
    EXPECT_EQ(condition(kService, "TailscaleIngressSvcConfigured"),
              "False IngressSvcNoBackendsConfigured: 0/2 proxy backends ready and advertising");
    EXPECT_EQ(status(kIngress), "");
    cluster.advertise("front-1", {"svc:broker", "svc:docs"});
    run(5 * kSecond);
    EXPECT_EQ(condition(kService, "TailscaleIngressSvcConfigured"),
              "True IngressSvcConfigured: 1/2 proxy backends ready and advertising");
    const std::string address(tailnet.services.at("svc:broker").find("addrs")->items()[0].text());
    EXPECT_EQ(status(kService),
              R"({"ingress":[{"ip":")" + address + R"(","hostname":"broker.tail1a2b3.ts.net"}]})");
    EXPECT_EQ(status(kIngress), "") << "without certificate there is no port";
    fill_certificate("docs.tail1a2b3.ts.net", "first");
    run(5 * kSecond);
    EXPECT_EQ(
        status(kIngress),
        R"({"ingress":[{"hostname":"docs.tail1a2b3.ts.net","ports":[{"port":443,"protocol":"TCP"}]}]})");
    const std::size_t writes = kube.writes;
    start(2);
    run(kMinute);
    EXPECT_EQ(kube.writes, writes) << "a new process says nothing before it knows";
    cluster.offer("front", Value::map());
    run(kMinute);
    EXPECT_EQ(status(kIngress), "");
    EXPECT_EQ(status(kService), "");
    EXPECT_EQ(condition(kService, "TailscaleIngressSvcConfigured"), "");
}

TEST_F(GroupsTest, AHostnameThatPassesToAnotherIngressLeavesTheFirstOne) {
    start_front();
    cluster.advertise("front-1", {"svc:broker", "svc:docs"});
    fill_certificate("docs.tail1a2b3.ts.net", "first");
    run(5 * kSecond);
    const std::string served = status(kIngress);
    ASSERT_NE(served, "");
    add_ingress("manual");
    std::string passed(kDocs);
    passed.replace(passed.find("apps/docs"), 9, "apps/manual");
    network.fault = [](const HttpRequest& request) {
        return request.method == "PUT" && request.url.find("/docs/status") != std::string::npos
                   ? Fault::Broken
                   : Fault::None;
    };
    cluster.offer("front", Value::map({{"docs.json", Value(passed)}}));
    run(kMinute);
    EXPECT_EQ(status("/apis/networking.k8s.io/v1/namespaces/apps/ingresses/manual"), served);
    EXPECT_EQ(status(kIngress), served);
    network.fault = [](const HttpRequest&) { return Fault::None; };
    start(2);  // it knows the service only from the table
    run(kMinute);
    EXPECT_EQ(status(kIngress), "");
    EXPECT_EQ(table("services").find("left"), std::string::npos) << table("services");
}

// The parent's own proxy still exists, because the applier did not prune it.
TEST_F(GroupsTest, OnlyOneWritesTheStatusOfAParentThatMovesIntoAGroup) {
    add_service("broker", Value::list({"10.96.0.7"}));
    cluster.add_proxy("broker");
    cluster.add_group("front", 1, false);
    cluster.offer("front", Value::map({{"broker.json", Value(kBroker)}}));
    start();
    run(kMinute);
    cluster.advertise("front-0", {"svc:broker"});
    const auto settle = [this] {
        run(kMinute);
        const std::size_t writes = kube.writes;
        run(kMinute);
        EXPECT_EQ(kube.writes, writes);
    };
    settle();
    EXPECT_NE(status(kService).find("broker-0.tail1a2b3.ts.net"), std::string::npos)
        << "the Service does not name the group yet";
    Value service = kube.find(std::string(kService))->clone();
    service.find("metadata")
        ->put("annotations", Value::map({{"tailscale.com/proxy-group", "front"}}));
    kube.put(std::string(kService), std::move(service));
    settle();
    EXPECT_NE(status(kService).find(R"("hostname":"broker.tail1a2b3.ts.net")"), std::string::npos)
        << status(kService);
    EXPECT_EQ(condition(kService, "TailscaleProxyReady"), "");
    cluster.offer("front", Value::map());
    settle();
    EXPECT_EQ(status(kService), "") << "the group no longer serves it";
}

TEST_F(GroupsTest, AServiceOfSomeoneElseIsAnInvalidParent) {
    add_service("broker", Value::list({"10.96.0.7"}));
    tailnet.services.emplace("svc:broker", Value::map({{"name", "svc:broker"}}));
    cluster.add_group("front", 1, false);
    cluster.offer("front", Value::map({{"broker.json", Value(kBroker)}}));
    start();
    run(kMinute);
    EXPECT_EQ(condition(kService, "TailscaleIngressSvcValid"),
              "False IngressSvcInvalid: Tailscale Service \"svc:broker\" exists and was not "
              "created by a cluster");
    tailnet.services.clear();
    run(10 * kMinute);
    EXPECT_EQ(condition(kService, "TailscaleIngressSvcValid"), "");
    EXPECT_TRUE(tailnet.services.contains("svc:broker"));
}

TEST_F(GroupsTest, AnApiProxyGetsItsKeyInItsConfiguration) {
    constexpr std::string_view kGroup = "/apis/tailscale.com/v1alpha1/proxygroups/kube";
    kube.has_custom_resources = true;
    kube.put(std::string(kGroup),
             Value::map({{"metadata", Value::map({{"name", "kube"}, {"generation", 1}})},
                         {"spec", Value::map({{"type", "kube-apiserver"}})}}));
    cluster.add_group("kube", 2, true);
    Value data = Value::map({{"api.json", Value(kApi)}});
    for (const std::string_view pod : {"kube-0", "kube-1"}) {
        data.put(Value(std::string(pod) + ".hujson"),
                 Value(R"({"Version":"v1alpha1","State":"kube:)" + std::string(pod) +
                       R"(","Hostname":")" + std::string(pod) + R"("})"));
    }
    start();
    run(10 * kSecond);
    EXPECT_TRUE(tailnet.keys.empty()) << "its configuration is still to come";
    cluster.offer("kube", data);
    run(30 * kSecond);
    EXPECT_EQ(tailnet.devices.size(), 2U);
    EXPECT_EQ(condition(kGroup, "ProxyGroupAvailable"),
              "True ProxyGroupAvailable: 2/2 ProxyGroup pods running");
    EXPECT_EQ(condition(kGroup, "ProxyGroupReady"),
              "False ProxyGroupCreating: waiting for proxies to start advertising the "
              "kube-apiserver proxy's hostname");
    EXPECT_TRUE(tailnet.usable_keys().empty());
    EXPECT_EQ(kube.find(secret("kube-0-auth")), nullptr);
    EXPECT_EQ(kube.datum(secret("kube-0-config"), "config.hujson"),
              R"({"Version":"v1alpha1","State":"kube:kube-0","Hostname":"kube-0"})");
    EXPECT_NE(owners("svc:api").find(R"("kind":"ProxyGroup","name":"kube")"), std::string::npos);
    fill_certificate("api.tail1a2b3.ts.net", "first");
    run(5 * kSecond);
    EXPECT_EQ(
        kube.datum(secret("kube-1-config"), "config.hujson"),
        R"({"Version":"v1alpha1","State":"kube:kube-1","Hostname":"kube-1","AdvertiseServices":["svc:api"]})");
    EXPECT_EQ(tailnet.keys.size(), 2U);
    cluster.advertise("kube-0", {"svc:api"});
    run(5 * kSecond);
    EXPECT_EQ(status(kGroup, "url"), R"("https://api.tail1a2b3.ts.net")");
    EXPECT_EQ(condition(kGroup, "KubeAPIServerProxyValid"),
              "True KubeAPIServerProxyValid: KubeAPIServerProxyValid");
    EXPECT_EQ(condition(kGroup, "KubeAPIServerProxyConfigured"),
              "True KubeAPIServerProxyConfigured: 1/2 proxy backends ready and advertising");
    EXPECT_EQ(condition(kGroup, "ProxyGroupReady"), "True ProxyGroupReady: ProxyGroupReady");
    const std::size_t writes = kube.writes;
    run(10 * kMinute);
    EXPECT_EQ(kube.writes, writes);
    tailnet.services.at("svc:api").erase("annotations");
    run(61 * kMinute);
    EXPECT_EQ(condition(kGroup, "KubeAPIServerProxyValid"),
              "False KubeAPIServerProxyInvalid: Tailscale Service \"svc:api\" exists and was not "
              "created by a cluster");
    EXPECT_EQ(condition(kGroup, "ProxyGroupReady"),
              "False ProxyGroupInvalid: waiting for config in spec.kubeAPIServer to be marked "
              "valid");
}

TEST_F(GroupsTest, AGroupWithoutAStatefulSetIsNotReady) {
    constexpr std::string_view kGroup = "/apis/tailscale.com/v1alpha1/proxygroups/out";
    constexpr std::string_view kReady = "TailscaleEgressSvcReady";
    kube.has_custom_resources = true;
    kube.put(std::string(kGroup), Value::map({{"metadata", Value::map({{"name", "out"}})},
                                              {"spec", Value::map({{"type", "egress"}})}}));
    Value service = Value::map(
        {{"metadata", Value::map({{"name", "broker"}, {"namespace", "apps"}})},
         {"spec",
          Value::map(
              {{"type", "ExternalName"},
               {"ports", Value::list({Value::map({{"port", 445}, {"protocol", "TCP"}})})}})}});
    service.find("metadata")
        ->put("annotations", Value::map({{"tailscale.com/proxy-group", "out"},
                                         {"tailscale.com/tailnet-ip", "100.64.12.7"}}));
    kube.put(std::string(kService), std::move(service));
    cluster.add_group("out", 1, false);
    start();
    run(kMinute);
    kube.set_datum(
        secret("out-0"), "egress-services",
        R"({"services":{"apps-broker":{"ports":[{"protocol":"TCP","matchPort":10001,"targetPort":445}],
            "tailnetTargetIPs":["100.64.12.7"],"tailnetTarget":{"ip":"100.64.12.7","fqdn":""}}}})");
    run(kMinute);
    EXPECT_EQ(condition(kService, kReady),
              "True ReadyToRouteTraffic: 1 out of 1 replicas are ready to route traffic");
    EXPECT_EQ(condition(kGroup, "ProxyGroupReady"), "True ProxyGroupReady: ProxyGroupReady");
    cluster.remove_proxy("out");
    run(kMinute);
    EXPECT_EQ(condition(kService, kReady),
              "False ClusterResourcesNotReady: ClusterResourcesNotReady");
    EXPECT_EQ(condition(kGroup, "ProxyGroupAvailable"),
              "False ProxyGroupCreating: 0/0 ProxyGroup pods running");
    EXPECT_EQ(condition(kGroup, "ProxyGroupReady"),
              "False ProxyGroupCreationFailed: it has no StatefulSet");
    EXPECT_EQ(status(kGroup, "devices"), "");
}

TEST_F(GroupsTest, ConvergesAfterFaultsAndRestarts) {
    add_service("broker", Value::list({"10.96.0.7"}));
    cluster.add_group("front", 2, false);
    cluster.offer("front",
                  Value::map({{"docs.json", Value(kDocs)}, {"broker.json", Value(kBroker)}}));
    RandomSource random{7};
    network.fault = [&random](const HttpRequest&) {
        constexpr Fault kFaults[] = {Fault::Refused, Fault::LostReply, Fault::Busy, Fault::Broken,
                                     Fault::Slow};
        const std::uint64_t at = random.below(25);
        return at < std::size(kFaults) ? kFaults[at] : Fault::None;
    };
    for (std::uint64_t seed = 1; seed < 60; ++seed) {
        start(seed);
        run(Duration(random.below(4000)));
        if (seed == 30) {
            cluster.offer("front", Value::map({{"docs.json", Value(kDocs)}}));
        }
    }
    network.fault = [](const HttpRequest&) { return Fault::None; };
    run(10 * kMinute);
    EXPECT_EQ(tailnet.services.size(), 1U);
    EXPECT_EQ(table("front.json"), "");
    EXPECT_EQ(
        table("services"),
        R"({"svc:docs":{"group":"front","parent":"Ingress/apps/docs","certificate":"docs.tail1a2b3.ts.net"}})");
    cluster.offer("front", Value::map({{"broker.json", Value(kBroker)}}));
    run(10 * kMinute);
    EXPECT_FALSE(tailnet.services.contains("svc:docs"));
    EXPECT_TRUE(tailnet.services.contains("svc:broker"));
    EXPECT_EQ(kube.find(secret("docs.tail1a2b3.ts.net")), nullptr);
}

}  // namespace
}  // namespace runtime::controller
