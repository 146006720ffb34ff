#include "renderer/classify/classify.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "renderer/load/load.h"

namespace renderer::classify {
namespace {

// Keeps Loaded alive, which Inventory points into.
struct Classified {
    Diagnostics diagnostics;
    load::Loaded loaded;
    Inventory inventory;

    explicit Classified(std::string stream) {
        repo::LoadOptions options;
        options.stream = std::move(stream);
        loaded = load::load(options, diagnostics);
        inventory =
            classify(loaded, validate::validate_inputs(loaded, false, 1, diagnostics), diagnostics);
    }
    // Returns "4: message | found | expected | hint" for each fault.
    [[nodiscard]] std::string faults(const ParentInput& parent) const {
        return lines(parent.operator_faults) + lines(parent.faults);
    }
    [[nodiscard]] std::string lines(const std::vector<Diagnostic>& faults) const {
        std::string out;
        for (const Diagnostic& one : faults) {
            out += fmt::format("{}: {}", loaded.sources.locate(one.pos).line, one.message);
            for (const std::string* part : {&one.found, &one.expected, &one.hint}) {
                out += part->empty() ? "" : " | " + *part;
            }
            out += '\n';
        }
        return out;
    }
};

TEST(Classify, ReadsEveryFieldOfAService) {
    const Classified run(R"(apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: shop
  labels: {tier: front}
  annotations: {tailscale.com/hostname: shop}
spec:
  type: LoadBalancer
  loadBalancerClass: tailscale
  clusterIP: 10.0.0.7
  ipFamilies: [IPv6, IPv4]
  ipFamilyPolicy: RequireDualStack
  externalName: example.org
  ports:
  - {name: http, port: 80, targetPort: web, nodePort: 30080}
  - {name: dns, port: 53, protocol: UDP}
)");
    ASSERT_EQ(run.inventory.services.size(), 1U);
    const ServiceInput& service = run.inventory.services[0];
    EXPECT_EQ(run.faults(service), "");
    EXPECT_EQ(service.name, "web");
    EXPECT_EQ(service.ns, "shop");
    EXPECT_EQ(service.label("tier")->text(), "front");
    EXPECT_EQ(service.annotation("tailscale.com/hostname")->text(), "shop");
    EXPECT_EQ(service.annotation("tier"), nullptr);
    EXPECT_EQ(service.type, ServiceType::LoadBalancer);
    EXPECT_TRUE(service.has_load_balancer_class);
    EXPECT_EQ(service.load_balancer_class, "tailscale");
    EXPECT_FALSE(service.headless);
    EXPECT_EQ(service.cluster_ip, "10.0.0.7");
    EXPECT_EQ(run.loaded.sources.locate(service.cluster_ip_pos).line, 11U);
    EXPECT_EQ(service.ip_families, (std::vector{IpFamily::V6, IpFamily::V4}));
    EXPECT_EQ(service.ip_family_policy, IpFamilyPolicy::RequireDual);
    EXPECT_EQ(service.external_name, "example.org");
    ASSERT_EQ(service.ports.size(), 2U);
    EXPECT_EQ(service.ports[0].name, "http");
    EXPECT_EQ(service.ports[0].port, 80);
    EXPECT_EQ(service.ports[0].protocol, Protocol::Tcp);
    EXPECT_EQ(service.ports[0].node_port, 30080);
    EXPECT_EQ(service.ports[0].target_port->text(), "web");
    EXPECT_EQ(service.ports[1].protocol, Protocol::Udp);
    EXPECT_EQ(service.ports[1].target_port, nullptr);
}

TEST(Classify, FillsInWhatAServiceDoesNotSay) {
    const Classified run(
        "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {clusterIP: None, type: "
        "null}\n");
    const ServiceInput& service = run.inventory.services.at(0);
    EXPECT_EQ(run.faults(service), "");
    EXPECT_EQ(service.ns, "");
    EXPECT_EQ(service.type, ServiceType::ClusterIp);
    EXPECT_TRUE(service.headless);
    EXPECT_EQ(service.cluster_ip, "");
    EXPECT_FALSE(service.has_load_balancer_class);
    EXPECT_EQ(service.ip_family_policy, IpFamilyPolicy::Unset);
    EXPECT_TRUE(service.ports.empty());
}

TEST(Classify, CollectsWhatTheApiServerCannotDecode) {
    const Classified run(R"(apiVersion: v1
kind: Service
metadata:
  name: web
  labels: {a: 1}
  annotations: {tailscale.com/expose: true, b: [x], c: ~}
spec:
  type: Loadbalancer
  clusterIP: 10
  ipFamilies: [IPv4, 6]
  ports:
  - {port: "80", name: [a], protocol: http}
  - {port: 1.5, targetPort: 80}
  - text
)");
    EXPECT_EQ(run.inventory.services.at(0).operator_faults.size(), 1U);
    EXPECT_EQ(
        run.faults(run.inventory.services[0]),
        "6: annotation \"tailscale.com/expose\" is not a string | a boolean | a string | "
        "write tailscale.com/expose: \"true\"\n"
        "5: label \"a\" is not a string | a number | a string | write a: \"1\"\n"
        "6: annotation \"b\" is not a string | a list | a string | write one text in quotes; "
        "several values have commas between them\n"
        "6: annotation \"c\" is not a string | null | a string | write c: \"\"\n"
        "8: invalid value of \"spec.type\" | \"Loadbalancer\" | one of { ClusterIP, "
        "NodePort, LoadBalancer, ExternalName } | did you mean \"LoadBalancer\"?\n"
        "12: invalid value of \"spec.ports[].protocol\" | \"http\" | one of { TCP, UDP, "
        "SCTP }\n"
        "9: \"spec.clusterIP\" has the wrong type | a number | a string | write clusterIP: "
        "\"10\"\n"
        "10: \"spec.ipFamilies[1]\" has the wrong type | a number | a string | put it in "
        "quotes\n"
        "12: \"spec.ports[0].port\" has the wrong type | a string | an integer | remove the "
        "quotes\n"
        "12: \"spec.ports[0].name\" has the wrong type | a list | a string\n"
        "13: \"spec.ports[1].port\" has the wrong type | 1.5 | an integer\n"
        "14: \"spec.ports[2]\" has the wrong type | a string | a map | it is a map with the keys "
        "{ appProtocol, name, nodePort, port, protocol, targetPort }\n");
}

TEST(Classify, ReadsEveryFieldOfAnIngress) {
    const Classified run(R"(apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: shop}
spec:
  ingressClassName: tailscale
  tls: [{hosts: [shop.example, other]}, {hosts: [third]}]
  defaultBackend: {service: {name: old, port: {number: 80}}}
  rules:
  - host: shop.example
    http:
      paths:
      - {path: /api, pathType: Exact, backend: {service: {name: api, port: {name: http}}}}
      - {pathType: ImplementationSpecific, backend: {resource: {kind: Bucket, name: b}}}
  - host: empty
)");
    ASSERT_EQ(run.inventory.ingresses.size(), 1U);
    const IngressInput& ingress = run.inventory.ingresses[0];
    EXPECT_EQ(run.faults(ingress), "");
    EXPECT_TRUE(ingress.served);
    EXPECT_TRUE(ingress.has_class_name);
    EXPECT_EQ(ingress.class_name, "tailscale");
    EXPECT_TRUE(ingress.has_tls_host);
    EXPECT_EQ(ingress.tls_host, "shop.example");
    EXPECT_EQ(ingress.tls_hosts.size(), 3U);
    EXPECT_TRUE(ingress.has_default_backend);
    EXPECT_EQ(ingress.default_backend.service, "old");
    EXPECT_EQ(ingress.default_backend.port_number, 80);
    ASSERT_EQ(ingress.rules.size(), 2U);
    EXPECT_EQ(ingress.rules[0].host, "shop.example");
    ASSERT_EQ(ingress.rules[0].paths.size(), 2U);
    const IngressPath& api = ingress.rules[0].paths[0];
    EXPECT_EQ(api.path, "/api");
    EXPECT_EQ(api.path_type, PathType::Exact);
    EXPECT_EQ(api.backend.service, "api");
    EXPECT_EQ(api.backend.port_name, "http");
    EXPECT_EQ(run.loaded.sources.locate(api.backend.port_pos).line, 12U);
    EXPECT_EQ(ingress.rules[0].paths[1].path, "");
    EXPECT_FALSE(ingress.rules[0].paths[1].backend.has_service);
    EXPECT_TRUE(ingress.rules[0].paths[1].backend.has_resource);
    EXPECT_TRUE(ingress.rules[0].has_http);
    EXPECT_FALSE(ingress.rules[1].has_http);
}

// A host that is not a string is a fault; the next one does not replace it.
TEST(Classify, TakesOnlyTheVeryFirstTlsHost) {
    const Classified run(
        "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\n"
        "spec: {tls: [{hosts: []}, {hosts: [b]}]}\n---\n"
        "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\n"
        "spec: {tls: [{hosts: [1, b]}]}\n");
    EXPECT_FALSE(run.inventory.ingresses.at(0).has_tls_host);
    EXPECT_FALSE(run.inventory.ingresses.at(1).has_tls_host);
    EXPECT_EQ(run.faults(run.inventory.ingresses[1]),
              "9: \"spec.tls[0].hosts[0]\" has the wrong type | a number | a string | put it in "
              "quotes\n");
}

// An unknown pathType is a fault and not a missing one. Backends of old versions are not read.
TEST(Classify, KeepsUnknownAndUnservedApart) {
    const Classified run(
        "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\n"
        "spec: {rules: [{http: {paths: [{path: /, pathType: Regex}, {path: /}]}}]}\n---\n"
        "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: web}\n"
        "spec: {ingressClassName: tailscale, rules: x}\n");
    const auto& paths = run.inventory.ingresses.at(0).rules.at(0).paths;
    EXPECT_EQ(paths.at(0).path_type, PathType::ImplementationSpecific);
    EXPECT_EQ(paths.at(1).path_type, PathType::Unset);
    EXPECT_EQ(run.faults(run.inventory.ingresses[0]),
              "4: invalid value of \"paths[].pathType\" | \"Regex\" | one of { Exact, Prefix, "
              "ImplementationSpecific }\n");
    const IngressInput& old = run.inventory.ingresses.at(1);
    EXPECT_FALSE(old.served);
    EXPECT_EQ(old.class_name, "tailscale");
    EXPECT_EQ(run.faults(old), "");
}

TEST(Classify, SortsKinds) {
    const Classified run(
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\n"
        "apiVersion: tailscale.com/v1alpha1\nkind: Connector\nmetadata: {name: c}\n---\n"
        "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: s}\n---\n"
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n");
    EXPECT_TRUE(run.inventory.services.empty());
    ASSERT_EQ(run.inventory.namespaces.size(), 1U);
    EXPECT_EQ(run.inventory.namespaces[0].name, "shop");
    ASSERT_EQ(run.inventory.custom_documents.size(), 1U);
    EXPECT_EQ(run.inventory.custom_documents[0]->object_name(), "Connector/c");
    EXPECT_EQ(run.inventory.stock_operator.deployment, nullptr);
}

}  // namespace
}  // namespace renderer::classify
