#include "renderer/plan/workload/l7_ingress.h"

#include <gtest/gtest.h>

#include "renderer/plan/plan_testing.h"

namespace renderer::plan {
namespace {

constexpr std::string_view kBackend = "defaultBackend: {service: {name: w, port: {number: 80}}}";

std::string with_backend(std::string ingress_text) {
    return std::move(ingress_text) + "---\n" + service("w", "ports: [{port: 80}]");
}

std::string with_host(std::string_view host) {
    return fmt::format("tls: [{{hosts: ['{}']}}], {}", host, kBackend);
}

TEST(L7Ingress, PlansAProxy) {
    const Planned run(
        with_backend(ingress(with_host("store.t.ts.net"), "tailscale.com/tags: 'tag:web'")));
    EXPECT_EQ(run.dump(), "");
    const Workload& workload = run.workload();
    EXPECT_EQ(workload.name.substr(0, 8), "ts-site-");
    EXPECT_EQ(workload.origin.rule, "l7-ingress: spec.ingressClassName");
    EXPECT_EQ(workload.hostnames.at(0), "store");
    EXPECT_EQ(workload.tags, std::vector<std::string>{"tag:web"});
    const ProxyPlan& proxy = run.proxy();
    EXPECT_EQ(proxy.target, Target::Serve);
    EXPECT_TRUE(proxy.userspace);
    EXPECT_FALSE(proxy.funnel || proxy.http_redirect);
    ASSERT_EQ(proxy.handlers.size(), 1U);
    EXPECT_EQ(proxy.handlers[0].path, "/");
    EXPECT_EQ(proxy.handlers[0].proxy, "http://w.shop.svc.cluster.local:80/");
    EXPECT_EQ(run.plan.devices.at(0).target, "shop/w:80");
    EXPECT_FALSE(run.plan.devices[0].is_public);
}

TEST(L7Ingress, ReadsTheSwitches) {
    const auto planned = [](std::string_view annotation) {
        return Planned(
            with_backend(ingress(with_host("a"), fmt::format("{}: 'true'", annotation))));
    };
    const Planned funnel = planned("tailscale.com/funnel");
    EXPECT_TRUE(funnel.proxy().funnel);
    EXPECT_TRUE(funnel.plan.devices.at(0).is_public);
    EXPECT_EQ(funnel.workload().origin.rule,
              "l7-ingress: spec.ingressClassName, public by annotation tailscale.com/funnel");
    EXPECT_TRUE(planned("tailscale.com/http-redirect").proxy().http_redirect);
    const Planned forwards =
        planned("tailscale.com/experimental-forward-cluster-traffic-via-ingress");
    EXPECT_EQ(forwards.workload().env.at(0).name,
              "EXPERIMENTAL_ALLOW_PROXYING_CLUSTER_TRAFFIC_VIA_INGRESS");
    EXPECT_FALSE(forwards.proxy().userspace);
}

TEST(L7Ingress, TakesTheHostnameFromTls) {
    const auto hostname = [](std::string_view spec) {
        return Planned(with_backend(ingress(spec))).workload().hostnames.at(0);
    };
    EXPECT_EQ(hostname(kBackend), "shop-site-ingress");
    EXPECT_EQ(hostname(fmt::format("tls: [{{secretName: x}}], {}", kBackend)), "shop-site-ingress");
    EXPECT_EQ(hostname(with_host("a.b.c")), "a");
    const std::string expected =
        "1 to 63 letters, digits and dashes, no dash at either end | the first host of spec.tls, "
        "up "
        "to its first dot, is the device's name\n";
    EXPECT_EQ(Planned(with_backend(ingress(with_host("my_shop")))).dump(),
              "4: error [invalid-hostname] Ingress/shop/site: invalid hostname \"my_shop\": "
              "contains invalid character '_' | " +
                  expected);
    EXPECT_EQ(Planned(with_backend(ingress(with_host("*.shop")))).dump(),
              "4: error [invalid-hostname] Ingress/shop/site: invalid hostname \"*\": must start "
              "with a letter or number | " +
                  expected);
    const std::string name(60, 'a');
    EXPECT_EQ(
        Planned(with_backend(ingress(kBackend, "", name))).dump(),
        fmt::format("3: error [invalid-hostname] Ingress/shop/{0}: invalid hostname "
                    "\"shop-{0}-ingress\": is too long, max length is 63 bytes | a name of 73 "
                    "bytes | 1 to 63 letters, digits and dashes, no dash at either end | "
                    "choose one with the first host of spec.tls\n",
                    name));
}

TEST(L7Ingress, ChecksTags) {
    EXPECT_EQ(Planned(with_backend(ingress(with_host("a"), "tailscale.com/tags: web"))).dump(),
              "3: error [invalid-tag] Ingress/shop/site: invalid tag \"web\": tags must start with "
              "'tag:' | \"web\" | tags such as \"tag:web\", separated by commas\n");
}

// The API server accepts such Ingresses, but not the objects of a proxy for them.
TEST(L7Ingress, ChecksThatItsNameFitsItsProxy) {
    const std::string a64(64, 'a');
    EXPECT_EQ(Planned(with_backend(ingress(with_host("a"), "", a64))).dump(),
              fmt::format("3: error [name-too-long] Ingress/shop/{}: the name of this Ingress is "
                          "too long for a label of its proxy | 64 bytes | at most 63 bytes\n",
                          a64));
    EXPECT_EQ(Planned(with_backend(ingress(with_host("a"), "", "a.b"))).dump(),
              "3: error [invalid-object] Ingress/shop/a.b: the name of this Ingress has a dot, but "
              "its proxy's Service is named after it | \"a.b\" | letters, digits and dashes\n");
    // Behind the part that the names keep, a dot does no harm.
    EXPECT_EQ(
        Planned(with_backend(ingress(with_host("a"), "", std::string(43, 'a') + ".b"))).dump(), "");
}

TEST(L7Ingress, WithoutANamespaceLooksNothingUp) {
    const Planned run(
        "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: a}\nspec: "
        "{ingressClassName: tailscale, defaultBackend: {service: {name: w, port: {name: "
        "http}}}}\n");
    EXPECT_EQ(
        run.dump(),
        "3: error [missing-namespace] Ingress/a: the namespace of this object is unknown | "
        "metadata.namespace, or \"namespace\" of a kustomization | set metadata.namespace, or use "
        "--namespace NAME\n");
}

TEST(L7Ingress, OfAnOldVersionIsRefused) {
    EXPECT_EQ(Planned("apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: a, "
                      "namespace: shop}\nspec: {ingressClassName: tailscale, backend: "
                      "{serviceName: w, servicePort: 80}}\n")
                  .dump(),
              "1: error [invalid-object] Ingress/shop/a: this version of Ingress is no longer "
              "served | \"networking.k8s.io/v1beta1\" | \"networking.k8s.io/v1\"\n");
}

}  // namespace
}  // namespace renderer::plan
