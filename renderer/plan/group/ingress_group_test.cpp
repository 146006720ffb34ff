#include "renderer/plan/group/ingress_group.h"

#include <gtest/gtest.h>

#include "renderer/plan/plan_testing.h"

namespace renderer::plan {
namespace {

constexpr std::string_view kDomain =
    "tailrender: {tailnetDomain: tail1234.ts.net, namespace: tailscale}";
constexpr std::string_view kStockDomain =
    "tailrender: {tailnetDomain: tail1234.ts.net, namespace: tailscale, dataplane: containerboot}";
constexpr std::string_view kInGroup = "tailscale.com/proxy-group: edge";
constexpr std::string_view kSpec =
    "tls: [{hosts: [shop]}], defaultBackend: {service: {name: w, port: {number: 80}}}";

std::string group(std::string_view spec = "type: ingress", std::string_view name = "edge") {
    return fmt::format(
        "apiVersion: tailscale.com/v1alpha1\nkind: ProxyGroup\nmetadata: {{name: {}}}\nspec: "
        "{{{}}}\n---\n",
        name, spec);
}

// Returns an Ingress of the group with further annotations, and its target.
std::string in_group(std::string_view annotations = "", std::string_view spec = kSpec) {
    return group() + service("w", "ports: [{port: 80}]") + "---\n" +
           ingress(spec,
                   fmt::format("{}{}{}", kInGroup, annotations.empty() ? "" : ", ", annotations));
}

TEST(IngressGroup, OffersAnIngress) {
    const Planned run(in_group("tailscale.com/tags: 'tag:a, tag:b'"), kDomain);
    EXPECT_EQ(run.dump(), "");
    EXPECT_EQ(run.parents(), "") << "no proxy of its own";
    const OfferedService& offered = run.plan.offered.at(0);
    EXPECT_EQ(offered.origin.parent, "Ingress/shop/site");
    EXPECT_EQ(offered.group, "edge");
    EXPECT_EQ(offered.offer, Offer::Web);
    EXPECT_EQ(offered.name(), "svc:shop");
    EXPECT_EQ(offered.dns_name, "shop.tail1234.ts.net");
    EXPECT_EQ(offered.tags, (std::vector<std::string>{"tag:a", "tag:b"}));
    EXPECT_EQ(offered.plain_http, PlainHttp::Off);
    EXPECT_EQ(offered.handlers.at(0).proxy, "http://w.shop.svc.cluster.local:80/");
    EXPECT_EQ(run.plan.devices.back().target, "shop/w:80");
}

TEST(IngressGroup, ReadsWhatAnswersWithoutTls) {
    const auto plain = [](std::string_view annotations) {
        return Planned(in_group(annotations), kDomain).plan.offered.at(0).plain_http;
    };
    EXPECT_EQ(plain("tailscale.com/http-endpoint: enabled"), PlainHttp::Same);
    EXPECT_EQ(plain("tailscale.com/http-endpoint: Enabled"), PlainHttp::Off);
    EXPECT_EQ(plain("tailscale.com/http-redirect: 'true'"), PlainHttp::Redirect);
    EXPECT_EQ(plain("tailscale.com/http-redirect: 'True'"), PlainHttp::Off);
    EXPECT_EQ(plain("tailscale.com/http-redirect: 'true', tailscale.com/http-endpoint: enabled"),
              PlainHttp::Same);
    EXPECT_EQ(plain("tailscale.com/http-redirect: 'true', tailscale.com/http-endpoint: disabled"),
              PlainHttp::Redirect);
}

TEST(IngressGroup, TakesTheHostnameFromTls) {
    const auto hostname = [](std::string_view tls, std::string_view values = kDomain) {
        const std::string spec =
            fmt::format("{}defaultBackend: {{service: {{name: w, port: {{number: 80}}}}}}", tls);
        return Planned(in_group("", spec), values).plan.offered.at(0).hostname;
    };
    EXPECT_EQ(hostname("tls: [{hosts: [shop.example.com]}], "), "shop");
    EXPECT_EQ(hostname("tls: [{hosts: []}], "), "shop-site-ingress");
    EXPECT_EQ(hostname(""), "shop-site-ingress");
    EXPECT_EQ(hostname("", "tailrender: {tailnetDomain: t.ts.net, hostnameSuffix: lab}"),
              "shop-site-ingress-lab");
}

TEST(IngressGroup, ServesTheWholeNameOnly) {
    const auto dump = [](std::string_view host) {
        return Planned(in_group("", fmt::format("tls: [{{hosts: [shop]}}], rules: "
                                                "[{{host: {}, http: {{paths: [{{path: /, pathType: "
                                                "Prefix, backend: {{service: {{name: w, port: "
                                                "{{number: 80}}}}}}}}]}}}}]",
                                                host)),
                       kDomain)
            .dump();
    };
    EXPECT_EQ(dump("shop.tail1234.ts.net"), "");
    EXPECT_NE(dump("shop.example.com").find("[rule-host-unsupported]"), std::string::npos);
    EXPECT_NE(dump("shop").find("no host, or \"shop.tail1234.ts.net\""), std::string::npos);
}

TEST(IngressGroup, OffersExposedServices) {
    const auto offered = [](std::string_view annotations, std::string_view spec,
                            std::string_view values = kDomain) {
        const Planned run(
            group() +
                fmt::format("apiVersion: v1\nkind: Service\nmetadata: {{name: db, namespace: "
                            "shop, annotations: {{{}{}}}}}\nspec: {{ports: [{{port: 80}}]{}}}\n",
                            kInGroup, annotations, spec),
            values);
        EXPECT_FALSE(run.diagnostics.has_errors()) << run.dump();
        return run.plan.offered.empty() ? "" : run.plan.offered[0].name();
    };
    constexpr std::string_view kExposed = ", tailscale.com/expose: 'true'";
    EXPECT_EQ(offered(kExposed, ""), "svc:shop-db");
    EXPECT_EQ(offered(kExposed, ", type: NodePort"), "svc:shop-db");
    EXPECT_EQ(offered("", ", type: LoadBalancer, loadBalancerClass: tailscale"), "svc:shop-db");
    EXPECT_EQ(offered(", tailscale.com/hostname: x, tailscale.com/expose: 'true'", ""), "svc:x");
    EXPECT_EQ(offered("", ""), "");
    EXPECT_EQ(offered("", ", type: LoadBalancer"), "");
    EXPECT_EQ(offered("", ", type: LoadBalancer",
                      "operatorConfig: {extraEnv: [{name: OPERATOR_DEFAULT_LOAD_BALANCER, value: "
                      "'true'}]}"),
              "")
        << "the default does not count";
    EXPECT_EQ(offered(", tailscale.com/expose: 'True'", ""), "");
}

// The domain is needed for certificates only.
TEST(IngressGroup, NeedsNoDomainForServices) {
    const Planned run(group() + exposed(kInGroup));
    EXPECT_EQ(run.dump(), "");
    EXPECT_EQ(run.plan.offered.at(0).dns_name, "");
    EXPECT_EQ(run.plan.offered[0].offer, Offer::Address);
}

TEST(IngressGroup, AsksForTheDomainOfAnotherTailnet) {
    const std::string tailnet =
        "apiVersion: tailscale.com/v1alpha1\nkind: Tailnet\nmetadata: {name: corp}\nspec: "
        "{credentials: {secretName: corp-oauth}}\n---\napiVersion: v1\nkind: Secret\nmetadata: "
        "{name: corp-oauth, namespace: tailscale}\n---\n";
    const Planned run(tailnet + group("type: kube-apiserver, tailnet: corp, kubeAPIServer: {mode: "
                                      "noauth}"),
                      kDomain);
    EXPECT_NE(run.dump().find("warning [other-tailnet-domain] ProxyGroup/edge"), std::string::npos)
        << run.dump();
    EXPECT_EQ(run.plan.offered.at(0).tailnet, "corp");
}

TEST(IngressGroup, SortsByGroupAndHostname) {
    const auto named = [](std::string_view name, std::string_view edge) {
        return "---\n" + exposed(fmt::format("tailscale.com/proxy-group: {}", edge),
                                 "ports: [{port: 80}]", name);
    };
    const Planned run(group() + group("type: ingress", "door") + exposed(kInGroup) +
                      named("b", "edge") + named("z", "door"));
    std::string order;
    for (const OfferedService& service : run.plan.offered) {
        order += fmt::format("{} {}, ", service.group, service.name());
    }
    EXPECT_EQ(order, "door svc:shop-z, edge svc:shop-b, edge svc:shop-web, ");
}

TEST(ApiGroup, OffersTheKubernetesApi) {
    const Planned run(
        group("type: kube-apiserver, tags: ['tag:api'], kubeAPIServer: {hostname: "
              "prod}"),
        std::string(kStockDomain) + "\napiServerProxyConfig: {allowImpersonation: 'true'}");
    EXPECT_EQ(run.dump(), "");
    const Workload& planned = run.workload();
    EXPECT_EQ(planned.account, "kube-apiserver-auth-proxy");
    EXPECT_EQ(planned.image, "tailscale/k8s-proxy:latest");
    EXPECT_EQ(planned.pull_policy, "");
    EXPECT_EQ(planned.as<ProxyGroupPlan>()->log_level, "debug");
    EXPECT_EQ(planned.hostnames.at(1), "edge-1");
    const OfferedService& offered = run.plan.offered.at(0);
    EXPECT_EQ(offered.name(), "svc:prod");
    EXPECT_EQ(offered.offer, Offer::KubeApi);
    EXPECT_EQ(offered.tags, std::vector<std::string>{"tag:api"});
    EXPECT_EQ(offered.dns_name, "prod.tail1234.ts.net");
}

TEST(ApiGroup, RunsAsItselfWithoutImpersonation) {
    const Planned run(group("type: kube-apiserver, kubeAPIServer: {mode: noauth}"), kDomain);
    EXPECT_EQ(run.dump(), "");
    EXPECT_EQ(run.workload().account, "edge");
    EXPECT_EQ(run.plan.offered.at(0).name(), "svc:edge");
}

// The operator's most detailed log level is the one that it uploads.
TEST(ApiGroup, LogsAsTheReferenceDoes) {
    const auto level = [](std::string_view config) {
        return Planned(group("type: kube-apiserver, kubeAPIServer: {mode: noauth}"),
                       fmt::format("{}\noperatorConfig: {{{}}}", kStockDomain, config))
            .workload()
            .as<ProxyGroupPlan>()
            ->log_level;
    };
    constexpr std::string_view kOff = "extraEnv: [{name: TS_NO_LOGS_NO_SUPPORT, value: 'true'}]";
    EXPECT_EQ(level(""), "debug");
    EXPECT_EQ(level(kOff), "info");
    EXPECT_EQ(level(fmt::format("logging: debug, {}", kOff)), "debug");
    EXPECT_EQ(level("extraEnv: [{name: TS_NO_LOGS_NO_SUPPORT, value: 'false'}]"), "debug");
}

TEST(ApiGroup, NeedsTheChartsAccount) {
    const auto dump = [](std::string_view values) {
        return Planned(group("type: kube-apiserver"), values).dump();
    };
    EXPECT_NE(dump(kDomain).find("2: warning [missing-api-account]"), std::string::npos);
    EXPECT_NE(dump("tailrender: {tailnetDomain: t.ts.net, inputs: complete}")
                  .find("2: error [missing-api-account]"),
              std::string::npos);
    EXPECT_EQ(dump("tailrender: {tailnetDomain: t.ts.net, inputs: complete}\n"
                   "apiServerProxyConfig: {allowImpersonation: 'true'}"),
              "");
}

}  // namespace
}  // namespace renderer::plan
