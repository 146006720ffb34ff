#include "runtime/controller/object_status/parent_status.h"

#include <algorithm>
#include <string>

#include "renderer/contract/annotations.h"
#include "runtime/testing/status_test.h"

namespace runtime::controller {
namespace {

using renderer::text_of;
using renderer::Value;

constexpr std::string_view kCreated =
    R"("conditions":[{"type":"TailscaleProxyReady","status":"True","reason":"ProxyCreated","message":"ProxyCreated"}])";

TEST_F(StatusTest, GivesAServiceItsNameAndTheAddressesOfItsFamilies) {
    add_service(
        R"({"type":"LoadBalancer","loadBalancerClass":"tailscale","clusterIPs":["10.0.0.7"]})");
    cluster.add_proxy("web");
    start();
    run(kMinute);
    EXPECT_EQ(
        status(service_path()),
        R"({"loadBalancer":{"ingress":[{"hostname":"web-0.tail1a2b3.ts.net"},{"ip":"100.64.0.1"}]},)" +
            std::string(kCreated) + "}");
    EXPECT_EQ(text_of(kube.find(service_path())->at({"metadata", "labels", "mine"})), "yes");
}

TEST_F(StatusTest, LeavesTheAddressesOfAnotherLoadBalancerAlone) {
    add_service(R"({"type":"LoadBalancer","clusterIPs":["10.0.0.7"]})",
                R"({"tailscale.com/expose":"true"})");
    cluster.add_proxy("web");
    start();
    run(kMinute);
    EXPECT_EQ(status(service_path()), "{" + std::string(kCreated) + "}");
}

TEST_F(StatusTest, WhatAnEarlierPodSaidDoesNotCount) {
    add_service(
        R"({"type":"LoadBalancer","loadBalancerClass":"tailscale","clusterIPs":["fd00::7"]})");
    cluster.add_proxy("web");
    start();
    run(kMinute);
    const std::string joined = status(service_path());
    EXPECT_NE(joined.find("fd7a:115c:a1e0::1"), std::string::npos) << joined;
    kube.set_datum(secret("web-0"), "pod_uid", "uid-of-another");
    run(kSecond);
    EXPECT_EQ(
        status(service_path()),
        R"({"conditions":[{"type":"TailscaleProxyReady","status":"False","reason":"ProxyPending",)"
        R"("message":"no Tailscale hostname known yet, waiting for proxy pod to finish auth"}]})");
}

// On a lost node the pod exists forever.
TEST_F(StatusTest, WhatAPodThatIsBeingDeletedSaidDoesNotCount) {
    add_service(R"({"type":"ClusterIP"})", R"({"tailscale.com/expose":"true"})");
    cluster.add_proxy("web");
    start();
    run(kMinute);
    cluster.lost_pods.insert("web-0");
    Value pod = kube.find(FakeCluster::path("pods", "web-0"))->clone();
    pod.find("metadata")->put("deletionTimestamp", "2026-01-01T00:00:00Z");
    kube.put(FakeCluster::path("pods", "web-0"), std::move(pod));
    run(kMinute);
    EXPECT_NE(status(service_path()).find(R"("reason":"ProxyPending")"), std::string::npos)
        << status(service_path());
    const Value& ledger = *kube.find(FakeCluster::path("configmaps", "tailrender-devices"));
    const std::string table(text_of(ledger.at({"data", "devices.jsonl"})));
    EXPECT_NE(table.find(R"("state":"restarting")"), std::string::npos) << table;
}

TEST_F(StatusTest, TakesTheStatusOffAServiceThatNoProxyServes) {
    add_service(
        R"({"type":"LoadBalancer","loadBalancerClass":"tailscale","clusterIPs":["10.0.0.7"]})");
    cluster.add_proxy("web");
    start();
    run(kMinute);
    cluster.remove_proxy("web");
    run(kMinute);
    EXPECT_EQ(status(service_path()), "{}");
}

TEST_F(StatusTest, WhatTheOperatorServesIsNotTakenOff) {
    cluster.add_operator_proxy("ts-old-qwxyz", "old");
    const std::string old = "/api/v1/namespaces/apps/services/old";
    for (const std::string& path : {service_path(), old}) {
        put(path, path.substr(path.rfind('/') + 1), "apps", R"({"type":"ClusterIP"})");
        put_status(path, "{" + std::string(kCreated) + "}");
    }
    start();
    run(kMinute);
    EXPECT_EQ(status(service_path()), "{}");
    EXPECT_EQ(status(old), "{" + std::string(kCreated) + "}");
}

// The class does not help: the Service is no longer exposed, and has another load balancer.
TEST_F(StatusTest, TakesOnlyItsOwnAddressesOffAnotherLoadBalancer) {
    const std::string spec = R"({"type":"LoadBalancer","clusterIPs":["10.0.0.7"]})";
    add_service(spec, R"({"tailscale.com/expose":"true"})");
    cluster.add_proxy("web");
    start();
    run(kMinute);
    add_service(spec);
    put_status(service_path(), R"({"loadBalancer":{"ingress":[{"ip":"192.0.2.1"},)"
                               R"({"ip":"100.64.0.1"}]},)" +
                                   std::string(kCreated) + "}");
    cluster.remove_proxy("web");
    run(kMinute);
    EXPECT_EQ(status(service_path()), R"({"loadBalancer":{"ingress":[{"ip":"192.0.2.1"}]}})");
}

TEST_F(StatusTest, TakesItsNameOffAnIngressOfAnotherClass) {
    const std::string path = start_with_ingress();
    const std::string ours =
        R"({"hostname":"web-0.tail1a2b3.ts.net","ports":[{"port":443,"protocol":"TCP"}]})";
    EXPECT_EQ(status(path), R"({"loadBalancer":{"ingress":[)" + ours + "]}}");
    put(path, "web", "apps", R"({"ingressClassName":"nginx"})");
    put_status(path, R"({"loadBalancer":{"ingress":[)" + ours + R"(,{"ip":"192.0.2.1"}]}})");
    run(kMinute);
    EXPECT_EQ(status(path), R"({"loadBalancer":{"ingress":[{"ip":"192.0.2.1"}]}})");
    const std::size_t writes = kube.writes;
    run(kMinute);
    EXPECT_EQ(kube.writes, writes) << "no one fights over it";
    cluster.remove_proxy("web");
    run(kMinute);
    EXPECT_EQ(status(path), R"({"loadBalancer":{"ingress":[{"ip":"192.0.2.1"}]}})");
}

// A group now serves it under the same name, and writes that name.
TEST_F(StatusTest, LeavesTheAddressesOfAGroupAlone) {
    const std::string path = "/apis/networking.k8s.io/v1/namespaces/apps/ingresses/web";
    cluster.add_proxy("web");
    annotate("web", renderer::kParentAnnotation, "Ingress/apps/web");
    start();
    run(kMinute);
    put(path, "web", "apps", R"({"ingressClassName":"tailscale"})",
        R"({"tailscale.com/proxy-group":"front"})");
    const std::string groups =
        R"({"loadBalancer":{"ingress":[{"hostname":"web-0.tail1a2b3.ts.net"}]}})";
    put_status(path, groups);
    cluster.remove_proxy("web");
    run(kMinute);
    EXPECT_EQ(status(path), groups);
}

TEST_F(StatusTest, TakesTheConditionsOfAGroupOffAServiceThatHasLeftIt) {
    add_service(R"({"type":"ClusterIP"})", R"({"tailscale.com/expose":"true"})");
    put_status(service_path(),
               R"({"conditions":[{"type":"TailscaleIngressSvcValid","status":"False"},)"
               R"({"type":"TailscaleIngressSvcConfigured","status":"True"}]})");
    cluster.add_proxy("web");
    start();
    run(kMinute);
    EXPECT_EQ(status(service_path()), "{" + std::string(kCreated) + "}");
}

TEST_F(StatusTest, ConditionsKeepTheirTimeWhileTheirStatusStays) {
    add_service(R"({"type":"ClusterIP"})", R"({"tailscale.com/expose":"true"})");
    cluster.add_proxy("web");
    start();
    run(kMinute);
    const auto time = [this] {
        return std::string(text_of(kube.find(service_path())
                                       ->at({"status", "conditions"})
                                       ->items()[0]
                                       .find("lastTransitionTime")));
    };
    const std::string before = time();
    const std::size_t writes = kube.writes;
    run(10 * kMinute);
    start(2);
    run(10 * kMinute);
    EXPECT_EQ(kube.writes, writes);
    EXPECT_EQ(time(), before);
    cluster.restart_pod("web-0");
    run(kMinute);
    EXPECT_NE(time(), before);
}

TEST_F(StatusTest, AnObjectThatChangedMeanwhileIsReadAgain) {
    add_service(R"({"type":"ClusterIP"})", R"({"tailscale.com/expose":"true"})");
    cluster.add_proxy("web");
    int conflicts = 0;
    network.fault = [&](const HttpRequest& request) {
        if (request.method == "PUT" && request.url.ends_with("/status") && conflicts < 3) {
            ++conflicts;
            add_service(R"({"type":"ClusterIP"})", R"({"tailscale.com/expose":"true"})");
        }
        return Fault::None;
    };
    start();
    run(kMinute);
    EXPECT_EQ(conflicts, 3);
    EXPECT_EQ(status(service_path()), "{" + std::string(kCreated) + "}");
}

TEST_F(StatusTest, TellsTheTableOfDevices) {
    cluster.add_proxy("web");
    start();
    run(kMinute);
    const Value& ledger = *kube.find(FakeCluster::path("configmaps", "tailrender-devices"));
    EXPECT_EQ(
        text_of(ledger.at({"data", "devices.jsonl"})),
        R"({"pod":"web-0","parent":"Service/apps/web","hostname":"web-0","fqdn":"web-0.tail1a2b3.ts.net",)"
        R"("addresses":["100.64.0.1","fd7a:115c:a1e0::1"],"device":")" +
            device_of("web-0") + R"(","tags":["tag:k8s"],"tailnet":"","state":"joined"})" + "\n");
}

// The next device joins while the table is being written.
TEST_F(StatusTest, TellsTheTableOfManyDevicesThatJoinInARow) {
    network.latency = std::chrono::milliseconds(150);
    start();
    for (int i = 0; i < 40; ++i) {
        cluster.add_proxy("web" + std::to_string(i));
        run(std::chrono::milliseconds(103));
    }
    run(kMinute);
    const Value& ledger = *kube.find(FakeCluster::path("configmaps", "tailrender-devices"));
    const std::string table(text_of(ledger.at({"data", "devices.jsonl"})));
    EXPECT_EQ(std::ranges::count(table, '\n'), 40) << table;
    EXPECT_EQ(table.find(R"("state":"waiting")"), std::string::npos) << table;
}

// Only a few are written at once; the others follow.
TEST_F(StatusTest, WritesTheStatusOfManyServices) {
    network.latency = std::chrono::milliseconds(300);
    for (int i = 0; i < 100; ++i) {
        const std::string name = "web" + std::to_string(i);
        put("/api/v1/namespaces/apps/services/" + name, name, "apps", R"({"type":"ClusterIP"})",
            R"({"tailscale.com/expose":"true"})");
        cluster.add_proxy(name);
    }
    start();
    run(2 * kMinute);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(status("/api/v1/namespaces/apps/services/web" + std::to_string(i)),
                  "{" + std::string(kCreated) + "}");
    }
}

TEST_F(StatusTest, SaysWhichTagsAreRefused) {
    add_service(R"({"type":"ClusterIP"})", R"({"tailscale.com/expose":"true"})");
    tailnet.known_tags = {"tag:k8s"};
    cluster.add_proxy("web", 1, "tag:k8s,tag:unknown");
    start();
    run(kMinute);
    const auto said = events("apps");
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(said[0].rfind("Service CannotMintKey: web-0: ", 0), 0U) << said[0];
    EXPECT_NE(said[0].find("tag:unknown"), std::string::npos) << said[0];
    EXPECT_NE(status(service_path()).find(R"("reason":"ProxyFailed")"), std::string::npos);
    cluster.add_proxy("api");
    run(10 * kSecond);
    EXPECT_EQ(tailnet.devices.size(), 1U) << "others are served meanwhile";
}

// The StatefulSet has neither a pod nor a parent.
TEST_F(StatusTest, SaysThatAContractIsUnknownWheneverItComes) {
    start();
    run(kMinute);
    kube.put(FakeCluster::path("statefulsets", "later"),
             json(R"({"metadata":{"name":"later","namespace":"tailscale",)"
                  R"("annotations":{"tailrender.dev/contract":"v9"}},"spec":{"replicas":0}})"));
    run(kSecond);
    const auto said = events("tailscale");
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(said[0].rfind("StatefulSet UnknownContract: it uses contract \"v9\"", 0), 0U);
}

TEST_F(StatusTest, SaysThatATailnetIsMissing) {
    cluster.add_proxy("web");
    annotate("web", renderer::kTailnetAnnotation, "partner");
    start();
    run(kMinute);
    EXPECT_EQ(events("apps"),
              (std::vector<std::string>{"Service CannotMintKey: web-0: ConfigMap "
                                        "\"tailrender-tailnet-partner\" is missing"}));
}

TEST_F(StatusTest, SaysThatAContractIsUnknown) {
    cluster.add_proxy("web");
    annotate("web", renderer::kContractAnnotation, "v2");
    kube.put(FakeCluster::path("configmaps", "tailrender-tailnet-partner"),
             json(R"({"metadata":{"name":"tailrender-tailnet-partner",
                 "namespace":"tailscale","annotations":{"tailrender.dev/contract":"v7"}}})"));
    start();
    run(kMinute);
    const auto said = events("tailscale");
    ASSERT_EQ(said.size(), 2U);
    EXPECT_EQ(said[0].rfind("ConfigMap UnknownContract: it uses contract \"v7\"", 0), 0U);
    EXPECT_EQ(said[1].rfind("StatefulSet UnknownContract: it uses contract \"v2\"", 0), 0U);
}

TEST_F(StatusTest, SaysThatTheOperatorStillServes) {
    add_service(R"({"type":"ClusterIP"})", R"({"tailscale.com/expose":"true"})");
    cluster.add_operator_proxy("ts-web-qwxyz", "web");
    cluster.add_proxy("ts-web-abcde", 1, "tag:k8s", "web");
    start();
    run(kMinute);
    EXPECT_EQ(events("apps"),
              (std::vector<std::string>{
                  "Service OperatorStillServes: ts-web-abcde-0: the operator's StatefulSet "
                  "\"ts-web-qwxyz\" still serves Service/apps/web"}));
    EXPECT_EQ(kube.find(service_path())->find("status"), nullptr);
}

TEST_F(StatusTest, SaysThatAnApiProxyHasNoConfiguration) {
    cluster.add_group("kube", 1, true);
    start();
    run(kMinute);
    EXPECT_EQ(events("default"),
              (std::vector<std::string>{
                  "ProxyGroup NoConfiguration: kube-0: ConfigMap \"tailrender-group-kube\" with "
                  "the key \"kube-0.hujson\" does not exist or cannot be read"}));
    cluster.offer("kube", Value::map({{"kube-0.hujson", R"({"Version":"v1alpha1"})"}}));
    run(kMinute);
    EXPECT_EQ(tailnet.devices.size(), 1U);
}

TEST_F(StatusTest, SaysThatHttpsIsOffInTheTailnet) {
    start_with_ingress();
    EXPECT_EQ(events("apps"), std::vector<std::string>());
    const std::string problem =
        "HTTPS certificates are off in its tailnet: enable them in the admin console (DNS)";
    const auto table = [this] {
        const Value& ledger = *kube.find(FakeCluster::path("configmaps", "tailrender-devices"));
        return std::string(text_of(ledger.at({"data", "devices.jsonl"})));
    };
    kube.set_datum(secret("web-0"), "https_endpoint", "no-https");
    run(kMinute);
    EXPECT_EQ(events("apps"), (std::vector<std::string>{"Ingress HttpsIsOff: web-0: " + problem}));
    EXPECT_NE(table().find(problem), std::string::npos) << table();
    kube.set_datum(secret("web-0"), "https_endpoint", "web-0.tail1a2b3.ts.net");
    run(kMinute);
    EXPECT_EQ(table().find(problem), std::string::npos) << table();
}

TEST_F(StatusTest, WritesCustomResourcesOnceTheirKindsAreInstalled) {
    const std::string path = "/apis/tailscale.com/v1alpha1/connectors/office";
    cluster.add_proxy("ts-office-abcde");
    annotate("ts-office-abcde", renderer::kParentAnnotation, "Connector/office");
    start();
    run(kMinute);
    EXPECT_FALSE(device_of("ts-office-abcde-0").empty());
    put(path, "office", "",
        R"({"exitNode":true,"subnetRouter":{"advertiseRoutes":["10.1.0.0/16","10.2.0.0/16"]}})");
    put("/apis/tailscale.com/v1alpha1/proxyclasses/all", "all", "", "{}");
    kube.has_custom_resources = true;
    run(10 * kMinute);
    EXPECT_EQ(
        status(path),
        R"({"subnetRoutes":"10.1.0.0/16,10.2.0.0/16","isExitNode":true,"isAppConnector":false,)"
        R"("devices":[{"hostname":"ts-office-abcde-0.tail1a2b3.ts.net","tailnetIPs":["100.64.0.1","fd7a:115c:a1e0::1"]}],)"
        R"("hostname":"ts-office-abcde-0.tail1a2b3.ts.net","tailnetIPs":["100.64.0.1","fd7a:115c:a1e0::1"],)"
        R"("conditions":[{"type":"ConnectorReady","status":"True","reason":"ConnectorCreated",)"
        R"("message":"ConnectorCreated","observedGeneration":3}]})");
    EXPECT_NE(status("/apis/tailscale.com/v1alpha1/proxyclasses/all").find("ProxyClassValid"),
              std::string::npos);
}

TEST_F(StatusTest, TellsOfARecorderWhatTheTailnetSays) {
    const std::string path = "/apis/tailscale.com/v1alpha1/recorders/sessions";
    kube.has_custom_resources = true;
    put(path, "sessions", "", "{}");
    cluster.add_proxy("sessions");
    annotate("sessions", renderer::kParentAnnotation, "Recorder/sessions");
    start();
    run(kMinute);
    EXPECT_EQ(
        status(path),
        R"({"devices":[{"hostname":"sessions-0","tailnetIPs":["100.64.0.1","fd7a:115c:a1e0::1"],)"
        R"("url":"https://sessions-0.tail1a2b3.ts.net"}],)"
        R"("conditions":[{"type":"RecorderReady","status":"True","reason":"RecorderCreated",)"
        R"("message":"RecorderCreated","observedGeneration":3}]})");
}

TEST_F(StatusTest, TellsTheStaticEndpointsOfAGroup) {
    const std::string path = "/apis/tailscale.com/v1alpha1/proxygroups/out";
    kube.has_custom_resources = true;
    put(path, "out", "", R"({"type":"egress"})");
    kube.put(secret("out-0-config"),
             json(R"({"metadata":{"name":"out-0-config","namespace":"tailscale",
                 "labels":{"tailscale.com/secret-type":"config"}}})"));
    kube.set_datum(secret("out-0-config"), "cap-106.hujson",
                   R"({"Version":"alpha0","StaticEndpoints":["198.51.100.4:31001"]})");
    cluster.add_proxy("out", 2);
    annotate("out", renderer::kParentAnnotation, "ProxyGroup/out");
    start();
    run(2 * kMinute);
    EXPECT_EQ(status(path).substr(0, status(path).find("]}]") + 3),
              R"({"devices":[{"hostname":"out-0","tailnetIPs":["100.64.0.1","fd7a:115c:a1e0::1"],)"
              R"("staticEndpoints":["198.51.100.4:31001"]},)"
              R"({"hostname":"out-1","tailnetIPs":["100.64.0.2","fd7a:115c:a1e0::2"]}])");
    cluster.add_group("kube", 1, true);
    cluster.offer(
        "kube",
        Value::map({{"kube-0.hujson",
                     R"({"Version":"v1alpha1","StaticEndpoints":["[2001:db8::4]:31002"]})"}}));
    const std::string kube_path = "/apis/tailscale.com/v1alpha1/proxygroups/kube";
    put(kube_path, "kube", "", R"({"type":"kube-apiserver"})");
    run(2 * kMinute);
    EXPECT_NE(status(kube_path).find(R"("staticEndpoints":["[2001:db8::4]:31002"])"),
              std::string::npos)
        << status(kube_path);
}

// The name is too long for the buffer inside a std::string, so a dangling view would be detected.
TEST_F(StatusTest, SaysWhetherAGroupLeadsOutOfTheCluster) {
    const std::string group = "ways-out-of-the-cluster";
    put(service_path(), "web", "apps", R"({"type":"ExternalName"})",
        R"({"tailscale.com/proxy-group":")" + group +
            R"(","tailscale.com/tailnet-ip":"100.64.9.9"})");
    cluster.add_proxy(group, 2);
    annotate(group, renderer::kParentAnnotation, "ProxyGroup/" + group);
    start();
    run(kMinute);
    for (const char* number : {"-0", "-1"}) {
        kube.set_datum(secret(group + number), "egress-services",
                       R"({"services":{"apps-web":{"tailnetTargetIPs":["100.64.9.9"],)"
                       R"("tailnetTarget":{"ip":"100.64.9.9"}}}})");
    }
    run(kMinute);
    const std::string path = service_path();
    EXPECT_NE(status(path).find("2 out of 2 replicas are ready"), std::string::npos)
        << status(path);
}

TEST_F(StatusTest, SaysThatAClassIsInvalid) {
    const std::string path = "/apis/tailscale.com/v1alpha1/proxyclasses/all";
    kube.has_custom_resources = true;
    put(path, "all", "",
        R"({"staticEndpoints":{"nodePort":{"ports":[{"port":31009,"endPort":31000}]}}})");
    start();
    run(kMinute);
    const std::string fault =
        R"(ProxyClass is not valid: spec.staticEndpoints.nodePort.ports: Invalid value: )"
        R"("31009-31000": port range "31009-31000" is invalid)";
    const Value condition = kube.find(path)->at({"status", "conditions"})->items()[0].clone();
    EXPECT_EQ(text_of(condition.find("status")), "False");
    EXPECT_EQ(text_of(condition.find("reason")), "ProxyClassInvalid");
    EXPECT_EQ(text_of(condition.find("message")), fault);
    EXPECT_EQ(events("default"),
              (std::vector<std::string>{"ProxyClass ProxyClassInvalid: " + fault}));
}

}  // namespace
}  // namespace runtime::controller
