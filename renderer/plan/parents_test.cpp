#include "renderer/plan/parents.h"

#include <gtest/gtest.h>

#include "renderer/plan/plan_testing.h"

namespace renderer::plan {
namespace {

std::string plain(std::string_view metadata, std::string_view spec) {
    return fmt::format(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop{}{}}}"
        "\nspec: {{ports: [{{port: 80}}]{}{}}}\n",
        metadata.empty() ? "" : ", ", metadata, spec.empty() ? "" : ", ", spec);
}

constexpr std::string_view kDefaultLoadBalancer =
    "operatorConfig: {extraEnv: [{name: OPERATOR_DEFAULT_LOAD_BALANCER, value: 'true'}]}";

// These rows are the operator's rules, one shape each.
TEST(Parents, AreTheServicesThatTheReferenceExposes) {
    struct Row {
        std::string_view metadata, spec, values;
        bool parent;
    };
    const Row rows[] = {
        {"", "", "", false},
        {"annotations: {tailscale.com/expose: 'true'}", "", "", true},
        {"annotations: {tailscale.com/expose: 'True'}", "", "", false},
        {"annotations: {tailscale.com/expose: 'true'}", "type: NodePort", "", true},
        {"annotations: {tailscale.com/expose: 'true'}", "type: ExternalName, externalName: a.b", "",
         true},
        {"", "type: ExternalName, externalName: a.b", "", false},
        {"", "type: LoadBalancer, loadBalancerClass: tailscale", "", true},
        {"", "type: LoadBalancer, loadBalancerClass: other", "", false},
        {"", "type: LoadBalancer, loadBalancerClass: other", kDefaultLoadBalancer, false},
        {"annotations: {tailscale.com/expose: 'true'}", "type: LoadBalancer, loadBalancerClass: x",
         "", true},
        {"", "type: LoadBalancer", "", false},
        {"", "type: LoadBalancer", kDefaultLoadBalancer, true},
        {"", "", kDefaultLoadBalancer, false},
        {"annotations: {tailscale.com/hostname: x, tailscale.com/tags: 'tag:x'}", "", "", false},
        {"annotations: {tailscale.com/expose: 'true', tailscale.com/proxy-group: ''}", "", "",
         false},
        {"annotations: {tailscale.com/expose: 'true'}, labels: {tailscale.com/managed: 'true'}", "",
         "", false},
        {"annotations: {tailscale.com/expose: 'true'}, labels: {tailscale.com/managed: 'false'}",
         "", "", true},
        {"annotations: {tailscale.com/tailnet-ip: ''}", "", "", false},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(fmt::format("{} | {} | {}", row.metadata, row.spec, row.values));
        const Planned run(plain(row.metadata, row.spec), row.values);
        EXPECT_FALSE(run.diagnostics.has_errors()) << run.dump();
        EXPECT_EQ(run.parents(), row.parent ? "Service/shop/web" : "");
    }
}

TEST(Parents, AreTheIngressesOfTheClass) {
    const auto parents = [](std::string_view head, std::string_view values = "") {
        return Planned(fmt::format("apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: "
                                   "{{name: a, namespace: shop, annotations: {{{}}}}}\nspec: "
                                   "{{{}defaultBackend: {{service: {{name: w, port: {{number: "
                                   "80}}}}}}}}\n",
                                   head.starts_with("k") || head.starts_with("t") ? head : "",
                                   head.starts_with("i") ? head : "ingressClassName: tailscale, "),
                       values)
            .parents();
    };
    EXPECT_EQ(parents("ingressClassName: tailscale, "), "Ingress/shop/a");
    EXPECT_EQ(parents("ingressClassName: nginx, "), "");
    EXPECT_EQ(parents("ingressClassName: tailscale, ", "ingressClass: {name: ts}"), "");
    EXPECT_EQ(parents("ingressClassName: ts, ", "ingressClass: {name: ts}"), "Ingress/shop/a");
    EXPECT_EQ(parents("ingressClassName: ~, "), "");
    EXPECT_EQ(parents("tailscale.com/proxy-group: ''"), "Ingress/shop/a");
}

// The legacy annotation does not count.
TEST(Parents, IgnoreTheOldClassAnnotation) {
    EXPECT_EQ(Planned("apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: a, "
                      "namespace: shop, annotations: {kubernetes.io/ingress.class: tailscale}}\n"
                      "spec: {}\n")
                  .parents(),
              "");
}

TEST(Parents, AreSortedByKindNamespaceAndName) {
    std::string stream = exposed("", "ports: [{port: 80}]", "b") + "---\n" +
                         exposed("", "ports: [{port: 80}]", "a") + "---\n" +
                         ingress("defaultBackend: {service: {name: a, port: {number: 80}}}");
    const Planned run(stream);
    EXPECT_EQ(run.dump(), "");
    EXPECT_EQ(run.parents(), "Ingress/shop/site Service/shop/a Service/shop/b");
    EXPECT_EQ(run.plan.devices.at(1).target, "shop/a");
}

TEST(Parents, AreNotAmongFactsAndBundlesThatAreCopied) {
    const std::string stream = exposed();
    EXPECT_EQ(Planned(stream, "", [](load::Loaded& all) { all.documents[0].reachable = false; })
                  .parents(),
              "");
    EXPECT_EQ(
        Planned(stream, "", [](load::Loaded& all) { all.bundles[0].rendered = false; }).parents(),
        "");
}

TEST(Parents, RefuseWhatCannotBeTheirs) {
    const std::pair<std::string, std::string> rows[] = {
        {exposed("tailscale.com/proxy-group: edge"),
         "3: error [missing-proxy-group] Service/shop/web: ProxyGroup \"edge\" not found | the "
         "name of a ProxyGroup | add the ProxyGroup, or pass its directory with --context DIR\n"},
        {"apiVersion: tailscale.com/v1alpha1\nkind: Conector\nmetadata: {name: ts}\n",
         "2: error [unknown-kind] Conector/ts: tailscale.com has no kind \"Conector\" | one of { "
         "Connector, DNSConfig, PeerRelay, ProxyClass, ProxyGroup, ProxyGroupPolicy, Recorder, "
         "Tailnet } | did you mean \"Connector\"?\n"},
    };
    for (const auto& [stream, want] : rows) {
        EXPECT_EQ(Planned(stream).dump(), want) << stream;
    }
    EXPECT_EQ(
        Planned("apiVersion: tailscale.com/v1alpha1\nkind: PeerRelay\nmetadata: {name: edge}\n",
                "tailrender: {operatorVersion: 1.96.5}")
            .dump(),
        "2: error [not-supported] PeerRelay/edge: this release of the operator has no kind "
        "\"PeerRelay\" | release 1.96 | 1.102 or later | set \"tailrender.operatorVersion\", or "
        "leave it out of the inputs\n");
    // A Service that is not exposed may name a class that does not exist.
    EXPECT_EQ(Planned(plain("annotations: {tailscale.com/proxy-class: small, "
                            "tailscale.com/expose: 'false'}",
                            ""))
                  .dump(),
              "");
}

TEST(Parents, SayWhichAnnotationCannotBeRead) {
    EXPECT_EQ(Planned(plain("annotations: {tailscale.com/expose: true}", "")).dump(),
              "3: error [invalid-object] Service/shop/web: annotation \"tailscale.com/expose\" is "
              "not a string | a boolean | a string | write tailscale.com/expose: \"true\"\n");
    // Other errors of foreign objects are left to the API server.
    EXPECT_EQ(Planned(plain("annotations: {example.com/x: 1}", "externalName: [1]")).dump(), "");
    EXPECT_EQ(Planned(exposed("example.com/x: 1")).dump(),
              "3: error [invalid-object] Service/shop/web: annotation \"example.com/x\" is not a "
              "string | a number | a string | write example.com/x: \"1\"\n");
}

}  // namespace
}  // namespace renderer::plan
