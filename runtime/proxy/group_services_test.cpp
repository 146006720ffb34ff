#include "runtime/proxy/group_services.h"

#include <gtest/gtest.h>

namespace runtime::proxy {
namespace {

TEST(EgressServices, AreReadAndReportedAsContainerbootDoes) {
    EgressTargets targets;
    targets.services = std::move(*read_egress_services(
        R"({"ns1-db":{"healthCheckEndpoint":"http://db:9002/healthz","tailnetTarget":{"ip":"","fqdn":"db.t.ts.net"},)"
        R"("ports":[{"protocol":"TCP","matchPort":10008,"targetPort":80},{"protocol":"TCP","matchPort":10007,"targetPort":5432},)"
        R"({"protocol":"TCP","matchPort":10008,"targetPort":80}]},)"
        R"("a-b":{"tailnetTarget":{"ip":"100.64.0.9","fqdn":""},"ports":null}})"));
    targets.addresses["ns1-db"] = {*IpAddress::parse("100.99.99.99")};
    EXPECT_EQ(targets.services.at("ns1-db").health_endpoint, "http://db:9002/healthz");
    EXPECT_EQ(
        egress_status(targets, "10.1.2.3", "fd00::3"),
        R"({"podIPv4":"10.1.2.3","podIPv6":"fd00::3","services":{)"
        R"("a-b":{"ports":[],"tailnetTargetIPs":null,"tailnetTarget":{"ip":"100.64.0.9","fqdn":""}},)"
        R"("ns1-db":{"ports":[{"protocol":"TCP","matchPort":10007,"targetPort":5432},)"
        R"({"protocol":"TCP","matchPort":10008,"targetPort":80}],)"
        R"("tailnetTargetIPs":["100.99.99.99"],"tailnetTarget":{"ip":"","fqdn":"db.t.ts.net"}}}})");
    EXPECT_EQ(egress_status({}, "10.1.2.3", ""), R"({"podIPv4":"10.1.2.3","services":null})");
    EXPECT_TRUE(read_egress_services("")->empty());
    EXPECT_TRUE(read_egress_services("null")->empty());
}

TEST(EgressServices, SayWhatIsWrongWithThem) {
    for (const auto& [text, want] : std::initializer_list<std::pair<const char*, const char*>>{
             {"[]", "error retrieving egress service configs: not a JSON object"},
             {"{", "error retrieving egress service configs: not a JSON object"},
             {R"({"a":{}})", "egress service a: neither tailnet target IP nor FQDN is set"},
             {R"({"a":{"tailnetTarget":{"ip":"x"}}})",
              "egress service a: error parsing tailnet target IP \"x\""},
             {R"({"a":{"tailnetTarget":{"fqdn":"x"},"ports":{}}})",
              "egress service a: ports is not a list"},
             {R"({"a":{"tailnetTarget":{"fqdn":"x"},"ports":[{"matchPort":70000}]}})",
              "egress service a: not a port number"},
         }) {
        auto services = read_egress_services(text);
        EXPECT_EQ(services ? "" : services.error().diagnostic.message, want);
    }
}

TEST(IngressServices, AreReadAndReportedAsContainerbootDoes) {
    const IngressServices services = std::move(*read_ingress_services(
        R"({"svc:db":{"IPv6Mapping":{"TailscaleServiceIP":"fd7a::9","ClusterIP":"fd00::10"},)"
        R"("IPv4Mapping":{"TailscaleServiceIP":"100.100.1.1","ClusterIP":"10.96.0.10"}},)"
        R"("svc:a":{"IPv4Mapping":{"TailscaleServiceIP":"","ClusterIP":""},"IPv6Mapping":null}})"));
    EXPECT_EQ(services.pairs.size(), 2U);
    EXPECT_EQ(
        ingress_status(services, "10.1.2.3", ""),
        R"({"configs":{"svc:a":{"IPv4Mapping":{"TailscaleServiceIP":"","ClusterIP":""}},)"
        R"("svc:db":{"IPv4Mapping":{"TailscaleServiceIP":"100.100.1.1","ClusterIP":"10.96.0.10"},)"
        R"("IPv6Mapping":{"TailscaleServiceIP":"fd7a::9","ClusterIP":"fd00::10"}}},"podIPv4":"10.1.2.3"})");
    auto mixed = read_ingress_services(
        R"({"svc:db":{"IPv4Mapping":{"TailscaleServiceIP":"100.100.1.1","ClusterIP":"fd00::1"}}})");
    EXPECT_EQ(
        mixed ? "" : mixed.error().diagnostic.message,
        "ingress service svc:db: \"100.100.1.1\" and \"fd00::1\" are not two addresses of one "
        "family");
    EXPECT_TRUE(read_ingress_services("")->pairs.empty());
}

}  // namespace
}  // namespace runtime::proxy
