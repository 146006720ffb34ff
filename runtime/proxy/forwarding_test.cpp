#include "runtime/proxy/forwarding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runtime::proxy {
namespace {

IpAddress ip(std::string_view text) {
    return *IpAddress::parse(text);
}

std::string texts(const std::vector<IpAddress>& addresses) {
    std::vector<std::string> out;
    out.reserve(addresses.size());
    for (const IpAddress& address : addresses) {
        out.push_back(address.text());
    }
    return fmt::format("{}", fmt::join(out, " "));
}

ForwardingInput both_families() {
    ForwardingInput input;
    input.own = {ip("100.64.0.1"), ip("fd7a::1")};
    return input;
}

TEST(PlanForwarding, SendsWhatArrivesToAllAddressesOfTheDestination) {
    Environment environment;
    environment.dest_dns_name = "web.shop.svc.cluster.local";
    ForwardingInput input = both_families();
    input.destinations = {ip("10.0.0.1"), ip("10.0.0.2"), ip("fd00::1")};
    const ForwardingPlan plan = plan_forwarding(environment, input);
    EXPECT_EQ(texts(plan.forwarding.own), "100.64.0.1 fd7a::1");
    EXPECT_EQ(texts(plan.forwarding.ingress_targets), "10.0.0.1 10.0.0.2 fd00::1");
    EXPECT_TRUE(plan.warnings.empty() && plan.failure.empty());

    environment.dest_dns_name.clear();
    environment.dest_ip = "10.96.0.9";
    EXPECT_EQ(texts(plan_forwarding(environment, input).forwarding.ingress_targets), "10.96.0.9");
}

TEST(PlanForwarding, LeavesOutWhatCannotBeReached) {
    Environment environment;
    environment.tailnet_target_fqdn = "db.t.ts.net";
    ForwardingInput input = both_families();
    input.targets = {ip("100.64.0.2"), ip("fd7a::2")};
    EXPECT_EQ(texts(plan_forwarding(environment, input).forwarding.egress_targets),
              "100.64.0.2 fd7a::2");

    input.has_v6 = false;
    const ForwardingPlan no_v6 = plan_forwarding(environment, input);
    EXPECT_EQ(texts(no_v6.forwarding.egress_targets), "100.64.0.2");
    EXPECT_EQ(no_v6.warnings, std::vector<std::string>{"fd7a::2 is an IPv6 address, but this host "
                                                       "does not support IPv6; skipping it"});
    EXPECT_EQ(no_v6.failure, "");

    input.targets = {ip("fd7a::2")};
    EXPECT_EQ(plan_forwarding(environment, input).failure,
              "no forwarding rules for egress addresses [fd7a::2/128], host supports IPv6: false");

    input = both_families();
    input.own = {ip("100.64.0.1")};
    input.targets = {ip("100.64.0.2"), ip("fd7a::2")};
    EXPECT_EQ(plan_forwarding(environment, input).warnings,
              std::vector<std::string>{
                  "fd7a::2 cannot be reached: this device has no tailnet address of its family"});
}

TEST(PlanForwarding, TakesTheServicesOfGroups) {
    Environment environment;
    ForwardingInput input = both_families();
    input.egress.services = std::move(*read_egress_services(
        R"({"ns1-db":{"tailnetTarget":{"ip":"100.64.0.9","fqdn":""},"ports":[)"
        R"({"protocol":"TCP","matchPort":10007,"targetPort":5432},)"
        R"({"protocol":"SCTP","matchPort":10008,"targetPort":1}]}})"));
    input.egress.addresses["ns1-db"] = {ip("100.64.0.9")};
    input.ingress = std::move(*read_ingress_services(
        R"({"svc:db":{"IPv4Mapping":{"TailscaleServiceIP":"100.100.1.1","ClusterIP":"10.96.0.10"}}})"));
    const ForwardingPlan plan = plan_forwarding(environment, input);
    EXPECT_EQ(
        plan.forwarding.egress_ports,
        (std::vector<nft::EgressPort>{{nft::Protocol::Tcp, 10007, 5432, {ip("100.64.0.9")}}}));
    EXPECT_EQ(plan.warnings, std::vector<std::string>{
                                 "egress service ns1-db: port 1 is of protocol \"SCTP\", only "
                                 "TCP and UDP are forwarded"});
    EXPECT_EQ(plan.forwarding.ingress_services.size(), 1U);
    EXPECT_EQ(plan.forwarding.ingress_services[0].cluster_ip.text(), "10.96.0.10");
}

TEST(PlanForwarding, SendsClusterTrafficToTheDevice) {
    Environment environment;
    environment.cluster_traffic_via_ingress = true;
    environment.pod_ip = "10.1.2.3";
    EXPECT_EQ(texts(plan_forwarding(environment, both_families()).forwarding.via_ingress),
              "10.1.2.3");
}

TEST(NeededFamilies, AreThoseOfTheEnvironment) {
    struct Row {
        std::string dest, target, fqdn;
        std::optional<std::string> routes;
        std::string_view want;
    };
    for (const Row& row : {
             Row{"10.96.0.1", "", "", {}, "4"},
             Row{"fd00::1", "", "", {}, "6"},
             Row{"", "100.64.0.1", "", {}, "4"},
             Row{"", "fd7a::1", "", {}, "6"},
             Row{"", "", "db.t.ts.net", {}, "4"},
             Row{"", "", "", "1.2.3.0/24,::/64", "46"},
             Row{"", "", "", "", ""},
             Row{"x",
                 "",
                 "",
                 {},
                 "Failed to enable IP forwarding: invalid cluster destination IP: \"x\""},
             Row{"",
                 "x",
                 "",
                 {},
                 "Failed to enable IP forwarding: invalid tailnet destination IP: \"x\""},
             Row{"", "", "", "1.2.3.4",
                 "Failed to enable IP forwarding: invalid subnet route: \"1.2.3.4\""},
         }) {
        Environment environment;
        environment.dest_ip = row.dest;
        environment.tailnet_target_ip = row.target;
        environment.tailnet_target_fqdn = row.fqdn;
        environment.routes = row.routes;
        auto families = needed_families(environment);
        const std::string got =
            families ? std::string(families->v4 ? "4" : "").append(families->v6 ? "6" : "")
                     : families.error().diagnostic.message;
        EXPECT_EQ(got, row.want);
    }
}

}  // namespace
}  // namespace runtime::proxy
