#include "renderer/plan/checks/object_checks.h"

#include <gtest/gtest.h>

#include "renderer/plan/plan_testing.h"

namespace renderer::plan {
namespace {

constexpr std::string_view kPrefix = "error [invalid-object] Service/shop/web: ";

// Returns "4: message | found | expected", one error per line.
std::string of_service(std::string_view spec) {
    std::string dump = Planned(exposed("", spec)).dump();
    for (std::size_t at = 0; (at = dump.find(kPrefix, at)) != std::string::npos;) {
        dump.erase(at, kPrefix.size());
    }
    return dump;
}

TEST(CheckService, Ports) {
    const std::string range = "a number from 1 to 65535\n";
    const std::string target =
        "4: invalid \"targetPort\" | {} | a number from 1 to 65535, or a "
        "name of at most 15 lower-case letters, digits and dashes\n";
    const std::pair<std::string_view, std::string> rows[] = {
        {"ports: [{port: 1, targetPort: http, nodePort: 30000}, {name: b}]",
         "4: port 1 has no name | a name for each port, as the Service has several\n"
         "4: port number out of range | 0 | " +
             range},
        {"ports: [{port: 70000}]", "4: port number out of range | 70000 | " + range},
        {"ports: [{port: -1}]", "4: port number out of range | -1 | " + range},
        {"ports: [{port: 1, nodePort: 65536}]",
         "4: \"nodePort\" is out of range | 65536 | " + range},
        {"ports: [{name: a_b, port: 1}]",
         "4: invalid port name \"a_b\" | lower-case letters, digits and dashes, at most "
         "63, no dash at either end\n"},
        {"ports: [{name: a, port: 1}, {name: a, port: 2}]",
         "4: duplicate port name \"a\" | a unique name for each port\n"},
        {"ports: [{name: a, port: 1, protocol: SCTP}, {name: b, port: 1, protocol: SCTP}]",
         "4: duplicate port 1 for SCTP | each number once per protocol\n"
         "4: warning [sctp-not-permitted] Service/shop/web: SCTP port 1 is only reachable if the "
         "tailnet policy names the protocol | a grant with \"ip\": [\"sctp:1\"] | access rules "
         "without a protocol permit TCP, UDP and ICMP\n"},
        {"ports: [{name: a, port: 1}, {name: b, port: 1, protocol: UDP}]", ""},
        {"ports: [{port: 1, targetPort: 0}]", fmt::format(fmt::runtime(target), "\"0\"")},
        {"ports: [{port: 1, targetPort: '80'}]", fmt::format(fmt::runtime(target), "\"80\"")},
        {"ports: [{port: 1, targetPort: [80]}]",
         "4: error [schema-type] Service/shop/web: \"spec.ports[0].targetPort\" has the wrong type "
         "| "
         "a list | an integer or a string\n"},
        {"selector: {a: b}", "4: the Service has no ports | spec.ports with at least one entry\n"},
    };
    for (const auto& [spec, want] : rows) {
        std::string got = of_service(spec);
        if (spec == "selector: {a: b}") {
            EXPECT_EQ(got.substr(0, 1), "2");  // spec has nothing with a position
            got[0] = '4';
        }
        EXPECT_EQ(got, want) << spec;
    }
}

TEST(CheckService, AddressesAndNames) {
    EXPECT_EQ(of_service("clusterIP: 10.0.0.300, ports: [{port: 1}]"),
              "4: \"clusterIP\" is not an IP address | \"10.0.0.300\" | an IP address, or no such "
              "field\n");
    EXPECT_EQ(of_service("type: ExternalName"),
              "2: Service of type ExternalName without a target | spec.externalName\n");
    EXPECT_EQ(of_service("type: ExternalName, externalName: a_b"),
              "2: invalid externalName \"a_b\" | a DNS name in lower case\n");
    EXPECT_EQ(
        of_service("type: ExternalName, externalName: a, clusterIP: 10.0.0.1"),
        "4: a Service of type ExternalName has no cluster IP | \"clusterIP\" | no such field\n");
}

std::string with_metadata(std::string_view metadata) {
    return Planned(
               fmt::format("apiVersion: v1\nkind: Service\nmetadata: {{{}, annotations: "
                           "{{tailscale.com/expose: 'true', tailscale.com/hostname: h}}}}\nspec: "
                           "{{ports: [{{port: 80}}]}}\n",
                           metadata))
        .dump();
}

TEST(CheckMetadata, NamesAndLabels) {
    EXPECT_EQ(with_metadata("name: Web, namespace: shop"),
              "3: error [invalid-object] Service/shop/Web: invalid Service name \"Web\" "
              "| lower-case letters, digits and dashes, at most 63, beginning with a letter\n");
    EXPECT_EQ(with_metadata("generateName: web-, namespace: shop"),
              "2: error [invalid-object] Service/shop/: the Service has no name | metadata.name\n");
    // A name that load refused causes no further error.
    EXPECT_EQ(with_metadata("name: 12, namespace: shop").find("invalid-object"), std::string::npos);
    EXPECT_EQ(with_metadata("name: web, namespace: Shop"),
              "3: error [invalid-object] Service/Shop/web: invalid namespace \"Shop\" | "
              "lower-case letters, digits and dashes, at most 63, no dash at either end\n");
    EXPECT_EQ(
        with_metadata("name: web, namespace: s, labels: {a b: x}"),
        "3: error [invalid-object] Service/s/web: invalid label key \"a b\" | "
        "letters, digits, \"-\", \"_\" and \".\", at most 63, and a DNS name with \"/\" before "
        "it or not\n");
    EXPECT_EQ(with_metadata("name: web, namespace: s, labels: {a: 'x y'}"),
              "3: error [invalid-object] Service/s/web: invalid label value \"x y\" | at "
              "most 63 letters, digits, \"-\", \"_\" and \".\", beginning and ending with a letter "
              "or digit\n");
}

TEST(CheckMetadata, Annotations) {
    EXPECT_EQ(Planned(exposed("Example.com/X: z")).dump(), "");  // keys are compared in lower case
    EXPECT_EQ(Planned(exposed("'a b': z")).dump(),
              "3: error [invalid-object] Service/shop/web: invalid annotation key \"a b\" | "
              "letters, digits, \"-\", \"_\" and \".\", at most 63, and a DNS name with "
              "\"/\" before it or not\n");
    EXPECT_EQ(Planned(exposed("a: " + std::string(262144, 'x'))).dump(),
              "3: error [invalid-object] Service/shop/web: annotations are too long | 262169 "
              "bytes | at most 262144\n");
}

std::string of_ingress(std::string_view spec, std::string_view name = "site") {
    return Planned(ingress(spec, "", name) + "---\n" + service("w", "ports: [{port: 80}]")).dump();
}

std::string with_path(std::string_view path) {
    return fmt::format(
        "tls: [{{hosts: [a]}}], rules: [{{http: {{paths: [{{{}, backend: {{service: "
        "{{name: w, port: {{number: 80}}}}}}}}]}}}}]",
        path);
}

TEST(CheckIngress, Paths) {
    const std::string plain = " | a path without \"//\", \"/.\", \"/..\" and \"%2f\"\n";
    const std::pair<std::string_view, std::string> rows[] = {
        {"path: /a, pathType: Prefix", ""},
        {"pathType: ImplementationSpecific", ""},
        {"path: /a//b, pathType: ImplementationSpecific", ""},
        {"pathType: Prefix", "path \"\" is not absolute | a path that begins with \"/\"\n"},
        {"path: api, pathType: ImplementationSpecific",
         "path \"api\" is not absolute | a path that begins with \"/\"\n"},
        {"path: /a//b, pathType: Prefix", "path \"/a//b\" is not normalized" + plain},
        {"path: /a/.., pathType: Prefix", "path \"/a/..\" is not normalized" + plain},
        {"path: /a%2Fb, pathType: Prefix", "path \"/a%2Fb\" is not normalized" + plain},
    };
    for (const auto& [path, want] : rows) {
        EXPECT_EQ(of_ingress(with_path(path)),
                  want.empty() ? "" : "4: error [invalid-object] Ingress/shop/site: " + want)
            << path;
    }
}

TEST(CheckIngress, HostsAndNames) {
    const std::string backend = "defaultBackend: {service: {name: w, port: {number: 80}}}";
    const std::string wanted = " | a DNS name in lower case\n";
    EXPECT_EQ(of_ingress("tls: [{hosts: [Shop]}], " + backend),
              "4: error [invalid-object] Ingress/shop/site: invalid host \"Shop\"" + wanted);
    EXPECT_EQ(of_ingress("tls: [{hosts: [a, '*.b.c']}, {hosts: [B.c]}], " + backend),
              "4: error [invalid-object] Ingress/shop/site: invalid host \"B.c\"" + wanted);
    EXPECT_EQ(of_ingress("tls: [{hosts: [a]}, {hosts: [1.2.3.4]}], " + backend), "");
    EXPECT_TRUE(of_ingress("rules: [{host: 1.2.3.4}], " + backend)
                    .starts_with("4: error [invalid-object] Ingress/shop/site: invalid host "
                                 "\"1.2.3.4\" in a rule | a DNS name, not an address\n"));
    EXPECT_EQ(of_ingress("tls: [{hosts: [a]}], " + backend, "A"),
              "3: error [invalid-object] Ingress/shop/A: invalid Ingress name \"A\" | "
              "lower-case letters, digits, dashes and dots\n");
}

TEST(CheckIngress, Backends) {
    const auto dump = [](std::string_view backend) {
        return of_ingress(fmt::format("tls: [{{hosts: [a]}}], defaultBackend: {{{}}}", backend));
    };
    EXPECT_EQ(dump("service: {name: w, port: {number: 80}}, resource: {name: x}"),
              "4: error [invalid-object] Ingress/shop/site: a backend has both a Service and a "
              "resource | \"service\" and \"resource\" | one of the two\n");
    EXPECT_TRUE(
        dump("service: {name: w, port: {number: 80, name: http}}")
            .starts_with("4: error [invalid-object] Ingress/shop/site: a backend's port has both a "
                         "name and a number | \"name\" and \"number\" | one of the two\n"));
    EXPECT_EQ(dump("service: {name: w, port: {number: 70000}}"),
              "4: error [invalid-object] Ingress/shop/site: a backend's port number is out of "
              "range | 70000 | a number from 1 to 65535\n");
}

// If the API server refused the Service, the proxy would have no backend.
TEST(CheckBackends, AreCheckedUnlessTheyAreFacts) {
    const std::string stream =
        ingress("tls: [{hosts: [a]}], defaultBackend: {service: {name: w, port: {number: 53}}}") +
        "---\n" + service("w", "ports: [{port: 53}, {port: 53, protocol: UDP, nodePort: x}]");
    EXPECT_EQ(Planned(stream).dump(),
              "9: error [schema-type] Service/shop/w: \"spec.ports[1].nodePort\" has the wrong "
              "type | a string | an integer\n"
              "9: error [invalid-object] Service/shop/w: port 53 has no name | a name for each "
              "port, as the Service has several\n"
              "9: error [invalid-object] Service/shop/w: port 53 has no name | a name for each "
              "port, as the Service has several\n");
    EXPECT_EQ(Planned(stream, "", [](load::Loaded& all) { all.documents.at(1).reachable = false; })
                  .dump(),
              "");
}

}  // namespace
}  // namespace renderer::plan
