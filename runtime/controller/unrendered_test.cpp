#include "runtime/controller/unrendered.h"

#include <algorithm>

#include "runtime/testing/status_test.h"

namespace runtime {
namespace {

constexpr const char* kOurClass = R"({"type":"LoadBalancer","loadBalancerClass":"tailscale"})";
constexpr const char* kPath = "/api/v1/namespaces/apps/services/web";
constexpr const char* kIngressPath = "/apis/networking.k8s.io/v1/namespaces/apps/ingresses/web";

std::string missing(const std::string& what) {
    return "NotRendered: there is no rendered " + what +
           " in namespace \"tailscale\": run \"tailrender render\" with ";
}

class UnrenderedTest : public StatusTest {
protected:
    void add_ingress(const std::string& annotations = "{}") {
        put(kIngressPath, "web", "apps", R"({"ingressClassName":"tailscale"})", annotations);
    }
    std::vector<std::string> said() {
        auto all = events("apps");
        std::erase_if(all, [](const std::string& one) {
            return one.find("NotRendered") == std::string::npos;
        });
        return all;
    }
};

TEST(AsksForProxy, ByClassOrAnnotation) {
    struct Row {
        const char* name;
        const char* kind;
        const char* annotations;
        const char* spec;
        bool want;
    };
    const Row rows[] = {
        {"class", "Service", "{}", kOurClass, true},
        {"class without the type", "Service", "{}", R"({"loadBalancerClass":"tailscale"})", false},
        {"another class", "Service", "{}", R"({"type":"LoadBalancer","loadBalancerClass":"x"})",
         false},
        {"no class", "Service", "{}", R"({"type":"LoadBalancer"})", false},
        {"expose", "Service", R"({"tailscale.com/expose":"true"})", "{}", true},
        {"not exactly", "Service", R"({"tailscale.com/expose":"True"})", "{}", false},
        {"a name", "Service", R"({"tailscale.com/tailnet-fqdn":"db.x.ts.net"})", "{}", true},
        {"an address", "Service", R"({"tailscale.com/tailnet-ip":"100.64.0.7"})", "{}", true},
        {"an old address", "Service", R"({"tailscale.com/ts-tailnet-target-ip":"100.64.0.7"})",
         "{}", true},
        {"an empty group", "Service",
         R"({"tailscale.com/expose":"true","tailscale.com/proxy-group":""})", "{}", false},
        {"only a hostname", "Service", R"({"tailscale.com/hostname":"web"})", "{}", false},
        {"ingress", "Ingress", "{}", R"({"ingressClassName":"tailscale"})", true},
        {"another ingress", "Ingress", "{}", R"({"ingressClassName":"nginx"})", false},
        {"without a class", "Ingress", "{}", "{}", false},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.name);
        renderer::Value object = json(R"({"metadata":{"name":"web","namespace":"apps"}})");
        object.find("metadata")->put("annotations", json(row.annotations));
        object.put("spec", json(row.spec));
        object.put("status", json(R"({"conditions":[{"type":"Mine","status":"True"}]})"));
        const auto parent = decode_parent(row.kind, object);
        ASSERT_TRUE(parent.has_value());
        EXPECT_EQ(asks_for_proxy(*parent, "tailscale"), row.want);
    }
}

TEST_F(UnrenderedTest, AServiceOfOurClassIsToldAfterAMinute) {
    add_service(kOurClass);
    start();
    run(50 * kSecond);
    EXPECT_EQ(said(), std::vector<std::string>());
    EXPECT_EQ(kube.find(kPath)->find("status"), nullptr);
    run(kMinute);
    ASSERT_EQ(said().size(), 1U);
    EXPECT_TRUE(said()[0].starts_with("Service " + missing("proxy for it"))) << said()[0];
    EXPECT_TRUE(status(kPath).starts_with(
        R"({"conditions":[{"type":"TailscaleProxyReady","status":"False","reason":"NotRendered",)"
        R"("message":"there is no rendered proxy for it)"))
        << status(kPath);
}

TEST_F(UnrenderedTest, IsToldAgainOnlyAfterAnHour) {
    add_service(kOurClass);
    start();
    run(2 * kMinute);
    const std::size_t writes = kube.writes;
    const std::size_t requests = network.log.size();
    run(50 * kMinute);
    EXPECT_EQ(kube.writes, writes);
    for (std::size_t i = requests; i < network.log.size(); ++i) {
        EXPECT_EQ(network.log[i].url.find("/events/"), std::string::npos) << network.log[i].url;
    }
    run(15 * kMinute);
    EXPECT_EQ(said().size(), 1U);
    EXPECT_EQ(
        kube.find(kube.paths_below("/api/v1/namespaces/apps/events")[0])->find("count")->as_int(),
        2);
}

TEST_F(UnrenderedTest, IsOverOnceItIsRendered) {
    add_service(kOurClass);
    start();
    run(2 * kMinute);
    ASSERT_EQ(said().size(), 1U);
    cluster.add_proxy("web");
    run(kMinute);
    EXPECT_NE(status(kPath).find(R"("reason":"ProxyCreated")"), std::string::npos) << status(kPath);
    cluster.remove_proxy("web");
    run(30 * kSecond);
    EXPECT_EQ(status(kPath).find("TailscaleProxyReady"), std::string::npos) << status(kPath);
    run(kMinute);
    EXPECT_NE(status(kPath).find("NotRendered"), std::string::npos) << status(kPath);
}

TEST_F(UnrenderedTest, IsOverOnceItAsksForNoProxy) {
    add_service(R"({"type":"ClusterIP"})", R"({"tailscale.com/expose":"true"})");
    start();
    run(2 * kMinute);
    ASSERT_NE(status(kPath).find("NotRendered"), std::string::npos) << status(kPath);
    renderer::Value service = kube.find(kPath)->clone();
    service.find("metadata")->put("annotations", renderer::Value::map());
    kube.put(kPath, std::move(service));
    run(kMinute);
    EXPECT_EQ(status(kPath), "{}");
}

TEST_F(UnrenderedTest, AnIngressIsToldInAnEvent) {
    add_ingress();
    start();
    run(2 * kMinute);
    ASSERT_EQ(said().size(), 1U);
    EXPECT_TRUE(said()[0].starts_with("Ingress " + missing("proxy for it"))) << said()[0];
    EXPECT_EQ(kube.find(kIngressPath)->find("status"), nullptr);
}

TEST_F(UnrenderedTest, WhatSomebodyServesIsNotTold) {
    add_service(kOurClass);
    cluster.add_operator_proxy("ts-web-qwxyz", "web");
    put("/api/v1/namespaces/apps/services/db", "db", "apps", R"({"type":"LoadBalancer"})");
    start();
    run(2 * kMinute);
    EXPECT_EQ(said(), std::vector<std::string>());
    EXPECT_EQ(kube.find(kPath)->find("status"), nullptr);
}

TEST_F(UnrenderedTest, AGroupThatIsNotRenderedIsNamed) {
    add_ingress(R"({"tailscale.com/proxy-group":"front"})");
    start();
    run(2 * kMinute);
    ASSERT_EQ(said().size(), 1U);
    EXPECT_TRUE(said()[0].starts_with("Ingress " + missing("StatefulSet of ProxyGroup \"front\"")))
        << said()[0];
}

TEST_F(UnrenderedTest, AGroupThatWasRenderedWithoutItIsNamed) {
    add_service(kOurClass, R"({"tailscale.com/proxy-group":"front"})");
    cluster.add_group("front", 1, false);
    cluster.offer("front", renderer::Value::map());
    start();
    run(2 * kMinute);
    ASSERT_EQ(said().size(), 1U);
    EXPECT_TRUE(said()[0].starts_with(
        "Service NotRendered: ProxyGroup \"front\" was rendered without it: run"))
        << said()[0];
    EXPECT_EQ(status(kPath).find("NotRendered"), std::string::npos) << "the group's to write";
    cluster.offer(
        "front",
        renderer::Value::map(
            {{"web.json", R"({"name":"svc:web","parent":"Service/apps/web","ports":["tcp:80"],)"
                          R"("tags":["tag:k8s"]})"}}));
    run(2 * kSecond);
    const std::size_t events = kube.paths_below("/api/v1/namespaces/apps/events").size();
    run(2 * std::chrono::hours(1));
    EXPECT_EQ(said().size(), 1U);
    EXPECT_LE(kube.paths_below("/api/v1/namespaces/apps/events").size(), events + 1);
}

TEST_F(UnrenderedTest, AGroupThatMayServeItIsTrusted) {
    add_service(kOurClass, R"({"tailscale.com/proxy-group":"front"})");
    put("/api/v1/namespaces/apps/services/db", "db", "apps", R"({"type":"ExternalName"})",
        R"({"tailscale.com/proxy-group":"out","tailscale.com/tailnet-ip":"100.64.9.9"})");
    cluster.add_group("front", 1, false);
    cluster.add_group("out", 1, false);
    cluster.offer("front", renderer::Value::map({{"web.json", "nonsense"}}));
    start();
    run(2 * kMinute);
    EXPECT_EQ(said(), std::vector<std::string>());
}

}  // namespace
}  // namespace runtime
