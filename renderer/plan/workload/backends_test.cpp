#include "renderer/plan/workload/backends.h"

#include <gtest/gtest.h>

#include "renderer/plan/plan_testing.h"

namespace renderer::plan {
namespace {

constexpr std::string_view kComplete = "tailrender: {inputs: complete}";

// Returns an Ingress with one path and the Services that it can find.
std::string one_path(std::string_view backend, std::string_view services = "",
                     std::string_view path = "path: /api, pathType: Prefix") {
    return ingress(fmt::format("tls: [{{hosts: [a]}}], rules: [{{http: {{paths: [{{{}, backend: "
                               "{}}}]}}}}]",
                               path, backend)) +
           (services.empty() ? "" : std::string(kSeparator)) + std::string(services);
}

std::string to(std::string_view port) {
    return fmt::format("{{service: {{name: w, port: {{{}}}}}}}", port);
}

std::string url(const std::string& stream) {
    const Planned run(stream);
    EXPECT_FALSE(run.diagnostics.has_errors()) << run.dump();
    return run.proxy().handlers.at(0).proxy;
}

TEST(Backends, MakeUrls) {
    struct Row {
        std::string_view port, spec, want;
    };
    const Row rows[] = {
        {"number: 80", "ports: [{port: 80}]", "http://w.shop.svc.cluster.local:80/api"},
        {"name: web", "ports: [{name: x, port: 1}, {name: web, port: 8080}]",
         "http://w.shop.svc.cluster.local:8080/api"},
        {"number: 443", "ports: [{port: 443}]",
         "https+insecure://w.shop.svc.cluster.local:443/api"},
        {"name: tls", "ports: [{name: tls, port: 443}]",
         "https+insecure://w.shop.svc.cluster.local:443/api"},
        {"name: https", "ports: [{name: https, port: 8443}]",
         "https+insecure://w.shop.svc.cluster.local:8443/api"},
        // The port's name in the Service does not count, only how the Ingress refers to it.
        {"number: 8443", "ports: [{name: https, port: 8443}]",
         "http://w.shop.svc.cluster.local:8443/api"},
        {"number: 80", "clusterIP: 10.0.0.7, ports: [{port: 80}]", "http://10.0.0.7:80/api"},
        {"number: 80", "clusterIP: 'fd00:10:43::abcd', ports: [{port: 80}]",
         "http://[fd00:10:43::abcd]:80/api"},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(url(one_path(to(row.port), service("w", row.spec))), row.want) << row.port;
    }
}

TEST(Backends, AreSortedAndTheLaterOfTwoEqualPathsWins) {
    const Planned run(
        ingress("tls: [{hosts: [a]}], defaultBackend: {service: {name: old, port: {number: 80}}}, "
                "rules: [{host: a, http: {paths: [{path: /z, pathType: Prefix, backend: {service: "
                "{name: z, port: {number: 80}}}}, {pathType: ImplementationSpecific, backend: "
                "{service: {name: new, port: {number: 80}}}}]}}]") +
        "---\n" + service("old", "ports: [{port: 80}]") + "---\n" +
        service("new", "ports: [{port: 80}]") + "---\n" + service("z", "ports: [{port: 80}]"));
    EXPECT_EQ(run.dump(), "");
    const auto& handlers = run.proxy().handlers;
    ASSERT_EQ(handlers.size(), 2U);
    EXPECT_EQ(handlers[0].path, "/");
    EXPECT_EQ(handlers[0].proxy, "http://new.shop.svc.cluster.local:80/");
    EXPECT_EQ(handlers[1].path, "/z");
    EXPECT_EQ(run.plan.devices.at(0).target, "shop/new:80, shop/z:80");
}

TEST(Backends, ExactIsAWarning) {
    EXPECT_EQ(Planned(one_path(to("number: 80"), service("w", "ports: [{port: 80}]"),
                               "path: /api, pathType: Exact"))
                  .dump(),
              "4: warning [exact-path] Ingress/shop/site: path \"/api\" of type Exact also matches "
              "what is below it | Prefix, which is what tailscaled implements | write \"pathType: "
              "Prefix\"\n");
}

TEST(Backends, RefuseWhatTheReferenceWouldLeaveOut) {
    const std::pair<std::string, std::string> rows[] = {
        {one_path("{resource: {kind: Bucket, name: b}}"),
         "4: error [backend-not-a-service] Ingress/shop/site: the backend of path \"/api\" is not "
         "a "
         "Service | backend.service with a name and a port | a proxy can only target a Service of "
         "the same namespace\n"},
        {one_path(to("number: 80"), service("w", "clusterIP: None, ports: [{port: 80}]")),
         "4: error [backend-without-cluster-ip] Ingress/shop/site: Service \"w\" of path \"/api\" "
         "has no cluster IP | a Service of type ClusterIP, NodePort or LoadBalancer that is not "
         "headless | remove \"clusterIP: None\", or use another Service\n"},
        {one_path(to("number: 80"), service("w", "type: ExternalName, externalName: a.b")),
         "4: error [backend-without-cluster-ip] Ingress/shop/site: Service \"w\" of path \"/api\" "
         "has no cluster IP | a Service of type ClusterIP, NodePort or LoadBalancer that is not "
         "headless | use a Service with a selector\n"},
        {one_path(to("name: htp"), service("w", "ports: [{name: http, port: 80}]")),
         "4: error [backend-port-not-found] Ingress/shop/site: Service \"w\" of path \"/api\" has "
         "no port \"htp\" | one of { 80 (http) } | did you mean \"http\"?\n"
         "  7: Service/shop/w: the Service is here\n"},
        {one_path(to("number: 8080"), service("w", "ports: [{port: 80}]")),
         "4: error [backend-port-not-found] Ingress/shop/site: Service \"w\" of path \"/api\" has "
         "no port 8080 | one of { 80 }\n"
         "  7: Service/shop/w: the Service is here\n"},
        {one_path(to(""), service("w", "ports: [{port: 80}]")),
         "4: error [backend-port-not-found] Ingress/shop/site: the backend of path \"/api\" has no "
         "port | backend.service.port with a name or a number | write \"port: {number: 80}\"\n"},
        {one_path("{service: {port: {number: 80}}}"),
         "4: error [missing-backend-service] Ingress/shop/site: the backend of path \"/api\" has "
         "no Service name | the name of a Service of the same namespace\n"},
    };
    for (const auto& [stream, want] : rows) {
        EXPECT_EQ(Planned(stream).dump(), want) << stream;
    }
}

TEST(Backends, ThatAreNotAmongTheInputs) {
    const std::string absent =
        " [missing-backend-service] Ingress/shop/site: Service \"w\" of path \"/api\" not found | "
        "Service \"w\" in namespace \"shop\"";
    const std::string hint =
        " | if it comes from elsewhere, pass its directory with --context DIR\n";
    const Planned warned(one_path(to("number: 443")));
    EXPECT_EQ(warned.dump(), "4: warning" + absent + hint);
    EXPECT_EQ(warned.proxy().handlers.at(0).proxy,
              "https+insecure://w.shop.svc.cluster.local:443/api");
    EXPECT_EQ(Planned(one_path(to("number: 80")), kComplete).dump(), "4: error" + absent + hint);
    const std::string named =
        "4: error" + absent +
        ", for the number of port \"http\" | if it comes from elsewhere, write the number of the "
        "port, or pass its directory with --context DIR\n";
    EXPECT_EQ(Planned(one_path(to("name: http"))).dump(), named);
    EXPECT_EQ(Planned(one_path(to("name: http")), kComplete).dump(), named);
    EXPECT_EQ(Planned(one_path(to(""))).dump(),
              "4: warning" + absent + hint +
                  "4: error [backend-port-not-found] Ingress/shop/site: the backend of path "
                  "\"/api\" has no port | backend.service.port with a name or a number | write "
                  "\"port: {number: 80}\"\n");
}

// A Service of another namespace does not count; a fact of the same namespace does.
TEST(Backends, AreFoundAmongFactsOfTheSameNamespace) {
    const std::string other =
        "apiVersion: v1\nkind: Service\nmetadata: {name: w, namespace: b}\nspec: {ports: [{port: "
        "80}]}\n";
    EXPECT_NE(Planned(one_path(to("number: 80"), other), kComplete).dump(), "");
    const auto hide = [](load::Loaded& loaded) { loaded.documents.at(1).reachable = false; };
    const Planned run(one_path(to("name: http"), service("w", "ports: [{name: http, port: 8080}]")),
                      kComplete, hide);
    EXPECT_EQ(run.dump(), "");
    EXPECT_EQ(run.proxy().handlers.at(0).proxy, "http://w.shop.svc.cluster.local:8080/api");
}

TEST(Backends, RulesThatLeadNowhere) {
    const auto dump = [](std::string_view spec) {
        return Planned(ingress(spec) + "---\n" + service("w", "ports: [{port: 80}]")).dump();
    };
    EXPECT_EQ(dump("tls: [{hosts: [shop]}], rules: [{host: other, http: {paths: []}}]"),
              "4: error [rule-host-unsupported] Ingress/shop/site: rule with host \"other\" cannot "
              "be served | no host, or \"shop\", the first of spec.tls | a proxy has one name; use "
              "another Ingress for another host\n");
    EXPECT_EQ(dump("rules: [{host: shop, http: {paths: []}}]"),
              "4: error [rule-host-unsupported] Ingress/shop/site: rule with host \"shop\" cannot "
              "be served | no host, as there is none in spec.tls | a proxy has one name; use "
              "another Ingress for another host\n");
    EXPECT_EQ(dump("tls: [{hosts: [shop]}], rules: [{host: shop}]"),
              "4: error [rule-without-http] Ingress/shop/site: rule without \"http\" | \"http\" "
              "with \"paths\" | remove the rule, or use spec.defaultBackend\n");
    EXPECT_EQ(dump("tls: [{hosts: [shop]}], rules: [{http: {}}]"),
              "4: error [invalid-object] Ingress/shop/site: rule without paths | "
              "at least one entry in \"http.paths\"\n");
    EXPECT_EQ(dump("tls: [{hosts: [shop]}]"),
              "2: error [no-valid-backend] Ingress/shop/site: Ingress without backends | "
              "spec.defaultBackend, or a rule with paths\n");
    EXPECT_EQ(dump("tls: [{hosts: [shop]}], rules: [{http: {paths: [{path: /, backend: {service: "
                   "{name: w, port: {number: 80}}}}]}}]"),
              "4: error [path-without-type] Ingress/shop/site: path \"/\" has no pathType | Prefix "
              "| add \"pathType: Prefix\"\n");
}

}  // namespace
}  // namespace renderer::plan
