#include "runtime/nft/desired.h"

#include <gtest/gtest.h>

#include "runtime/nft/text.h"

namespace runtime::nft {
namespace {

std::vector<IpAddress> addresses(const std::vector<const char*>& texts) {
    std::vector<IpAddress> all;
    all.reserve(texts.size());
    for (const char* text : texts) {
        all.push_back(*IpAddress::parse(text));
    }
    return all;
}

// Returns the text of a table with the chains and the MSS clamp that every table has.
std::string table(const std::string& maps, const std::string& postrouting,
                  const std::string& prerouting) {
    return "table inet tailrender {\n" + maps +
           "\tchain forward {\n"
           "\t\ttype filter hook forward priority mangle; policy accept;\n"
           "\t\tiifname \"tailscale0\" tcp flags syn tcp option maxseg size set rt mtu\n"
           "\t\toifname \"tailscale0\" tcp flags syn tcp option maxseg size set rt mtu\n"
           "\t}\n"
           "\tchain postrouting {\n"
           "\t\ttype nat hook postrouting priority srcnat - 1; policy accept;\n" +
           postrouting +
           "\t}\n"
           "\tchain prerouting {\n"
           "\t\ttype nat hook prerouting priority dstnat - 1; policy accept;\n" +
           prerouting + "\t}\n}\n";
}

const std::string kSource4 = "\t\toifname \"tailscale0\" ct status dnat snat ip to 100.64.0.1\n";
const std::string kSource6 = "\t\toifname \"tailscale0\" ct status dnat snat ip6 to fd7a::1\n";

TEST(Desired, HasTheClampInEveryMode) {
    EXPECT_EQ(dump(desired({})), table("", "", ""));
    EXPECT_EQ(dump(desired({.own = addresses({"100.64.0.1", "fd7a::1"})})), table("", "", ""));
}

TEST(Desired, SendsWhatIsForUsToTheIngressTargets) {
    EXPECT_EQ(dump(desired({.own = addresses({"100.64.0.1", "fd7a::1"}),
                            .ingress_targets = addresses({"10.96.0.9"})})),
              table("\tmap ingress4 {\n"
                    "\t\ttype ipv4_addr : ipv4_addr\n"
                    "\t\telements = {\n"
                    "\t\t\t100.64.0.1 : 10.96.0.9\n"
                    "\t\t}\n"
                    "\t}\n",
                    "", "\t\tdnat ip to ip daddr map @ingress4\n"));
}

TEST(Desired, SpreadsOverAllAddressesOfAName) {
    EXPECT_EQ(dump(desired({.own = addresses({"100.64.0.1", "fd7a::1"}),
                            .ingress_targets = addresses(
                                {"10.0.0.10", "10.0.0.9", "fd00::2", "10.0.0.10", "fd00::1"})})),
              table("\tmap ingress4_2 {\n"
                    "\t\ttypeof ip daddr . numgen random mod 2 : ip daddr\n"
                    "\t\telements = {\n"
                    "\t\t\t100.64.0.1 . 0 : 10.0.0.9,\n"
                    "\t\t\t100.64.0.1 . 1 : 10.0.0.10\n"
                    "\t\t}\n"
                    "\t}\n"
                    "\tmap ingress6_2 {\n"
                    "\t\ttypeof ip6 daddr . numgen random mod 2 : ip6 daddr\n"
                    "\t\telements = {\n"
                    "\t\t\tfd7a::1 . 0 : fd00::1,\n"
                    "\t\t\tfd7a::1 . 1 : fd00::2\n"
                    "\t\t}\n"
                    "\t}\n",
                    "",
                    "\t\tdnat ip to ip daddr . numgen random mod 2 map @ingress4_2\n"
                    "\t\tdnat ip6 to ip6 daddr . numgen random mod 2 map @ingress6_2\n"));
}

TEST(Desired, SendsWhatIsFromTheClusterToTheEgressTargets) {
    EXPECT_EQ(dump(desired({.own = addresses({"100.64.0.1", "fd7a::1"}),
                            .egress_targets = addresses({"100.64.0.9", "fd7a::9"})})),
              table("", kSource4 + kSource6,
                    "\t\tiifname != \"tailscale0\" dnat ip to 100.64.0.9\n"
                    "\t\tiifname != \"tailscale0\" dnat ip6 to fd7a::9\n"));
}

TEST(Desired, SpreadsOverSeveralEgressTargets) {
    EXPECT_EQ(dump(desired({.own = addresses({"100.64.0.1"}),
                            .egress_targets =
                                addresses({"100.64.0.9", "fd7a::9", "100.64.0.8", "100.64.0.7"})})),
              table("\tmap any4_3 {\n"
                    "\t\ttypeof numgen random mod 2 : ip daddr\n"
                    "\t\telements = {\n"
                    "\t\t\t0 : 100.64.0.7,\n"
                    "\t\t\t1 : 100.64.0.8,\n"
                    "\t\t\t2 : 100.64.0.9\n"
                    "\t\t}\n"
                    "\t}\n",
                    kSource4,
                    "\t\tiifname != \"tailscale0\" dnat ip to numgen random mod 3 map @any4_3\n"));
}

TEST(Desired, SendsMatchPortsToTheServicesTargets) {
    const std::vector<EgressPort> ports = {
        {.protocol = Protocol::Tcp,
         .match_port = 10007,
         .target_port = 5432,
         .targets = addresses({"100.64.0.9", "fd7a::9"})},
        {.protocol = Protocol::Udp,
         .match_port = 10007,
         .target_port = 53,
         .targets = addresses({"100.64.0.8"})},
        {.protocol = Protocol::Tcp,
         .match_port = 10008,
         .target_port = 443,
         .targets = addresses({"100.64.0.7", "100.64.0.6"})},
        // Of two entries for one port the first is used. An entry without targets forwards nothing.
        {.protocol = Protocol::Tcp,
         .match_port = 10007,
         .target_port = 1,
         .targets = addresses({"100.64.0.1"})},
        {.protocol = Protocol::Tcp, .match_port = 10009, .target_port = 1},
    };
    EXPECT_EQ(
        dump(desired({.tunnel = "tun7",
                      .own = addresses({"100.64.0.1", "fd7a::1"}),
                      .egress_ports = ports})),
        "table inet tailrender {\n"
        "\tmap egress4 {\n"
        "\t\ttype inet_proto . inet_service : ipv4_addr . inet_service\n"
        "\t\telements = {\n"
        "\t\t\ttcp . 10007 : 100.64.0.9 . 5432,\n"
        "\t\t\tudp . 10007 : 100.64.0.8 . 53\n"
        "\t\t}\n"
        "\t}\n"
        "\tmap egress4_2 {\n"
        "\t\ttypeof meta l4proto . th dport . numgen random mod 2 : ip daddr . th dport\n"
        "\t\telements = {\n"
        "\t\t\ttcp . 10008 . 0 : 100.64.0.6 . 443,\n"
        "\t\t\ttcp . 10008 . 1 : 100.64.0.7 . 443\n"
        "\t\t}\n"
        "\t}\n"
        "\tmap egress6 {\n"
        "\t\ttype inet_proto . inet_service : ipv6_addr . inet_service\n"
        "\t\telements = {\n"
        "\t\t\ttcp . 10007 : fd7a::9 . 5432\n"
        "\t\t}\n"
        "\t}\n"
        "\tchain forward {\n"
        "\t\ttype filter hook forward priority mangle; policy accept;\n"
        "\t\tiifname \"tun7\" tcp flags syn tcp option maxseg size set rt mtu\n"
        "\t\toifname \"tun7\" tcp flags syn tcp option maxseg size set rt mtu\n"
        "\t}\n"
        "\tchain postrouting {\n"
        "\t\ttype nat hook postrouting priority srcnat - 1; policy accept;\n"
        "\t\toifname \"tun7\" ct status dnat snat ip to 100.64.0.1\n"
        "\t\toifname \"tun7\" ct status dnat snat ip6 to fd7a::1\n"
        "\t}\n"
        "\tchain prerouting {\n"
        "\t\ttype nat hook prerouting priority dstnat - 1; policy accept;\n"
        "\t\tiifname != \"tun7\" dnat ip to meta l4proto . th dport map @egress4\n"
        "\t\tiifname != \"tun7\" dnat ip to meta l4proto . th dport . numgen random mod 2 map "
        "@egress4_2\n"
        "\t\tiifname != \"tun7\" dnat ip6 to meta l4proto . th dport map @egress6\n"
        "\t}\n"
        "}\n");
}

TEST(Desired, SendsTailscaleServicesAndThePodsTrafficOn) {
    const std::vector<IngressService> services = {
        {*IpAddress::parse("100.100.1.2"), *IpAddress::parse("10.96.0.2")},
        {*IpAddress::parse("fd7a::100"), *IpAddress::parse("fd00::2")},
        {*IpAddress::parse("100.100.1.1"), *IpAddress::parse("10.96.0.1")},
        {*IpAddress::parse("100.100.1.2"), *IpAddress::parse("10.96.0.3")},
    };
    EXPECT_EQ(dump(desired({.own = addresses({"100.64.0.1"}),
                            .ingress_services = services,
                            .via_ingress = addresses({"10.1.0.7", "fd00:1::7"})})),
              table("\tmap ingress4 {\n"
                    "\t\ttype ipv4_addr : ipv4_addr\n"
                    "\t\telements = {\n"
                    "\t\t\t10.1.0.7 : 100.64.0.1,\n"
                    "\t\t\t100.100.1.1 : 10.96.0.1,\n"
                    "\t\t\t100.100.1.2 : 10.96.0.2\n"
                    "\t\t}\n"
                    "\t}\n"
                    "\tmap ingress6 {\n"
                    "\t\ttype ipv6_addr : ipv6_addr\n"
                    "\t\telements = {\n"
                    "\t\t\tfd7a::100 : fd00::2\n"
                    "\t\t}\n"
                    "\t}\n",
                    "",
                    "\t\tdnat ip to ip daddr map @ingress4\n"
                    "\t\tdnat ip6 to ip6 daddr map @ingress6\n"));
}

TEST(Desired, LeavesOutTargetsOfAFamilyWithoutAnAddressOfOurs) {
    EXPECT_EQ(dump(desired({.own = addresses({"100.64.0.1"}),
                            .ingress_targets = addresses({"fd00::2"}),
                            .egress_targets = addresses({"fd7a::9"}),
                            .egress_ports = {{.protocol = Protocol::Tcp,
                                              .match_port = 10007,
                                              .target_port = 1,
                                              .targets = addresses({"fd7a::9"})}}})),
              table("", kSource4, ""));
}

// There is one rule for each number of targets, however many services there are, so that a packet
// always costs the same.
TEST(Desired, HasAsManyRulesForThousandsOfServicesAsForOne) {
    Forwarding forwarding{.own = addresses({"100.64.0.1", "fd7a::1"})};
    const auto rules = [&] {
        std::size_t count = 0;
        for (const Chain& chain : desired(forwarding).chains) {
            count += chain.rules.size();
        }
        return count;
    };
    const auto add = [&](std::uint16_t port) {
        forwarding.egress_ports.push_back({.protocol = Protocol::Tcp,
                                           .match_port = port,
                                           .target_port = 443,
                                           .targets = addresses({"100.64.0.9", "fd7a::9"})});
    };
    add(1);
    const std::size_t with_one = rules();
    for (std::uint16_t port = 2; port < 10000; ++port) {
        add(port);
    }
    EXPECT_EQ(rules(), with_one);
}

}  // namespace
}  // namespace runtime::nft
