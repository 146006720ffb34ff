#include "runtime/nft/flows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runtime::nft {
namespace {

IpAddress ip(const char* text) {
    return *IpAddress::parse(text);
}

constexpr std::uint8_t kTcp = 6, kUdp = 17, kIcmp = 1;

// The addresses of the pod are 10.1.0.7 and fd00:1::7, those of the device 100.64.0.1 and fd7a::1.
const std::vector<IpAddress> kLocal = {ip("127.0.0.1"), ip("10.1.0.7"), ip("fd00:1::7"),
                                       ip("100.64.0.1"), ip("fd7a::1")};

struct FlowCase {
    const char* name;
    Flow flow;
    bool want;
};

void expect(const Forwarding& forwarding, const std::vector<FlowCase>& cases) {
    const StaleFlows stale(forwarding, kLocal);
    for (const FlowCase& row : cases) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(stale.contains(row.flow), row.want);
        Flow established = row.flow;
        established.established = true;
        EXPECT_FALSE(stale.contains(established));
    }
}

Flow flow(std::uint8_t protocol, const char* from, const char* to, std::uint16_t to_port,
          const char* sent_to, std::uint16_t sent_to_port) {
    return {.protocol = protocol,
            .from = ip(from),
            .to = ip(to),
            .sent_to = ip(sent_to),
            .to_port = to_port,
            .sent_to_port = sent_to_port};
}

TEST(StaleFlows, OfAnEgressGroup) {
    const Forwarding forwarding{
        .own = {ip("100.64.0.1"), ip("fd7a::1")},
        .egress_ports = {{.protocol = Protocol::Udp,
                          .match_port = 10001,
                          .target_port = 53,
                          .targets = {ip("100.64.0.9"), ip("100.64.0.8")}}}};
    expect(forwarding,
           {{"to a target", flow(kUdp, "10.1.0.2", "10.1.0.7", 10001, "100.64.0.9", 53), false},
            {"to the other", flow(kUdp, "10.1.0.2", "10.1.0.7", 10001, "100.64.0.8", 53), false},
            {"to a removed one", flow(kUdp, "10.1.0.2", "10.1.0.7", 10001, "100.64.0.7", 53), true},
            {"to an old port", flow(kUdp, "10.1.0.2", "10.1.0.7", 10001, "100.64.0.9", 54), true},
            {"another protocol", flow(kTcp, "10.1.0.2", "10.1.0.7", 10001, "100.64.0.9", 53), true},
            {"of a removed service", flow(kUdp, "10.1.0.2", "10.1.0.7", 10002, "100.64.0.9", 53),
             true},
            {"from before the rules", flow(kUdp, "10.1.0.2", "10.1.0.7", 10001, "10.1.0.7", 10001),
             true},
            {"no target of this family",
             flow(kUdp, "fd00:1::2", "fd00:1::7", 10001, "fd00:1::7", 10001), false},
            {"to a port of the pod's own",
             flow(kUdp, "10.1.0.2", "10.1.0.7", 9002, "10.1.0.7", 9002), false},
            {"from the tunnel", flow(kUdp, "100.64.0.3", "100.64.0.1", 10001, "100.64.0.1", 10001),
             false},
            {"of the pod's own", flow(kUdp, "10.1.0.7", "10.96.0.10", 53, "10.96.0.10", 53), false},
            {"of the pod's own, translated by others",
             flow(kUdp, "10.1.0.7", "10.96.0.10", 53, "10.1.0.3", 53), false},
            {"sent to loopback by others",
             flow(kTcp, "10.1.0.2", "10.1.0.7", 10001, "127.0.0.1", 15006), false}});
}

TEST(StaleFlows, OfASingleEgress) {
    const Forwarding forwarding{.own = {ip("100.64.0.1"), ip("fd7a::1")},
                                .egress_targets = {ip("100.64.0.9")}};
    expect(forwarding,
           {{"to the target", flow(kUdp, "10.1.0.2", "10.1.0.7", 53, "100.64.0.9", 53), false},
            {"ping of the target", flow(kIcmp, "10.1.0.2", "10.1.0.7", 0, "100.64.0.9", 0), false},
            {"to a removed one", flow(kUdp, "10.1.0.2", "10.1.0.7", 53, "100.64.0.8", 53), true},
            {"from before the rules", flow(kUdp, "10.1.0.2", "10.1.0.7", 53, "10.1.0.7", 53), true},
            {"ping from before the rules", flow(kIcmp, "10.1.0.2", "10.1.0.7", 0, "10.1.0.7", 0),
             true},
            {"ping from the tunnel", flow(kIcmp, "100.64.0.3", "100.64.0.1", 0, "100.64.0.1", 0),
             false},
            {"no target of this family", flow(kUdp, "fd00:1::2", "fd00:1::7", 53, "fd00:1::7", 53),
             false}});
}

TEST(StaleFlows, OfAnIngress) {
    const Forwarding forwarding{.own = {ip("100.64.0.1"), ip("fd7a::1")},
                                .ingress_targets = {ip("10.96.0.9"), ip("10.96.0.8")},
                                .ingress_services = {{ip("100.100.1.1"), ip("10.96.0.1")}}};
    expect(
        forwarding,
        {{"to a target", flow(kUdp, "100.64.0.3", "100.64.0.1", 53, "10.96.0.8", 53), false},
         {"to a removed one", flow(kUdp, "100.64.0.3", "100.64.0.1", 53, "10.96.0.7", 53), true},
         {"from before the rules", flow(kUdp, "100.64.0.3", "100.64.0.1", 53, "100.64.0.1", 53),
          true},
         {"no target of this family", flow(kUdp, "fd7a::3", "fd7a::1", 53, "fd7a::1", 53), false},
         {"to a service", flow(kUdp, "100.64.0.3", "100.100.1.1", 53, "10.96.0.1", 53), false},
         {"to where a service was", flow(kUdp, "100.64.0.3", "100.100.1.1", 53, "10.96.0.2", 53),
          true},
         {"of a removed service", flow(kUdp, "100.64.0.3", "100.100.1.2", 53, "10.96.0.1", 53),
          true},
         {"routed, not ours", flow(kUdp, "100.64.0.3", "10.77.0.1", 53, "10.77.0.1", 53), false}});
}

TEST(StaleFlows, OfThePodsTrafficViaAnIngress) {
    const Forwarding forwarding{.own = {ip("100.64.0.1")}, .via_ingress = {ip("10.1.0.7")}};
    expect(forwarding,
           {{"to us", flow(kUdp, "10.1.0.2", "10.1.0.7", 443, "100.64.0.1", 443), false},
            {"to an address of before", flow(kUdp, "10.1.0.2", "10.1.0.7", 443, "100.64.0.2", 443),
             true},
            {"from before the rules", flow(kUdp, "10.1.0.2", "10.1.0.7", 443, "10.1.0.7", 443),
             true}});
}

}  // namespace
}  // namespace runtime::nft
