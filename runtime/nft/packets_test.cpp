// Sends packets through the rules. A cluster, a pod and a tailnet are three network namespaces,
// without WireGuard.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "runtime/nft/desired.h"
#include "runtime/nft/ip_forwarding.h"
#include "runtime/nft/netlink.h"
#include "runtime/nft/sockets_testing.h"

namespace runtime::nft {
namespace {

constexpr bool kTcpSocket = true, kUdp = false;

IpAddress address(const char* text) {
    return *IpAddress::parse(text);
}

//   cluster                           pod                            tailnet
//   10.1.0.2, .3, .4     10.1.0.7 eth0 | tailscale0 100.64.0.1       100.64.0.8, .9
//   fd00:1::2, ::3, ::4    fd00:1::7   |    fd7a::1, MTU 1280        fd7a::8, ::9
class PacketsTest : public testing::Test {
protected:
    void SetUp() override {
        const auto link = [&](const Namespace& far, const char* name, const char* far_name) {
            pod.run(fmt::format("ip link add {} type veth peer name {} netns {}", name, far_name,
                                far.path()));
        };
        const auto address = [](const Namespace& where, const char* device,
                                const std::vector<const char*>& all) {
            for (const char* one : all) {
                where.run(fmt::format("ip addr add {} dev {} {}", one, device,
                                      ip_is_v6(one) ? "nodad" : ""));
            }
            where.run(fmt::format("ip link set {} up", device));
        };
        link(cluster, "eth0", "c0");
        link(tailnet, "tailscale0", "t0");
        pod.run("ip link set tailscale0 mtu 1280");
        address(cluster, "c0",
                {"10.1.0.2/24", "10.1.0.3/24", "10.1.0.4/24", "fd00:1::2/64", "fd00:1::3/64",
                 "fd00:1::4/64"});
        address(pod, "eth0", {"10.1.0.7/24", "fd00:1::7/64"});
        address(pod, "tailscale0", {"100.64.0.1/24", "fd7a::1/64"});
        address(tailnet, "t0", {"100.64.0.8/24", "100.64.0.9/24", "fd7a::8/64", "fd7a::9/64"});
        // tailscaled would masquerade. Without it, servers in the cluster see the addresses of
        // clients in the tailnet.
        cluster.run(
            "ip route add 100.64.0.0/10 via 10.1.0.7 && ip route add fd7a::/16 via fd00:1::7");
        tailnet.run(
            "ip route add 100.100.0.0/16 via 100.64.0.1 && ip route add fd7a:100::/32 via fd7a::1");
        tailnet.run(
            "ip route add 10.1.0.0/24 via 100.64.0.1 && ip route add fd00:1::/64 via fd7a::1");
        pod.enter();
        ASSERT_TRUE(enable_forwarding("", {.v4 = true, .v6 = true}).has_value());
        wait_until_reachable(cluster, "fd7a::9");
        wait_until_reachable(tailnet, "fd00:1::2");
        pod.enter();
        auto opened = open_kernel();
        ASSERT_TRUE(opened.has_value());
        kernel = std::move(*opened);
    }

    // An interface takes up to a second to find neighbours by IPv6. Until then a datagram is not
    // refused.
    static void wait_until_reachable(const Namespace& from, const char* to) {
        bool is_refused = false;
        for (int attempt = 0; attempt < 20 && !is_refused; ++attempt) {
            const Client client(from, kUdp, to, 9);
            is_refused = ::send(client.socket.get(), "ping", 4, 0) == 4 &&
                         wait_for({client.socket.get()}, POLLIN) == 0;
        }
        ASSERT_TRUE(is_refused) << to;
    }

    static bool ip_is_v6(std::string_view text) { return text.find(':') != std::string_view::npos; }

    void apply(Forwarding forwarding) {
        forwarding.own = {address("100.64.0.1"), address("fd7a::1")};
        pod.enter();
        auto live = kernel->read();
        ASSERT_TRUE(live.has_value());
        const Batch batch = diff(live->table, desired(forwarding));
        auto applied = kernel->apply(batch, live->generation);
        ASSERT_TRUE(applied.has_value()) << applied.error().diagnostic.message;
        ASSERT_TRUE(kernel->remove_stale_flows(forwarding).has_value());
    }

    static std::string connect(const Namespace& from, bool is_tcp, const char* to,
                               std::uint16_t port, const std::vector<const Server*>& servers) {
        Client client(from, is_tcp, to, port);
        return exchange(client, servers);
    }

    // Returns how many of 60 connections each server got.
    static std::map<std::string, int> spread(const Namespace& from, bool is_tcp, const char* to,
                                             std::uint16_t port,
                                             const std::vector<const Server*>& servers) {
        std::map<std::string, int> counts;
        for (int i = 0; i < 60; ++i) {
            ++counts[connect(from, is_tcp, to, port, servers)];
        }
        return counts;
    }

    Namespace cluster, tailnet, pod;
    std::unique_ptr<Dataplane> kernel;
};

TEST_F(PacketsTest, IngressToAnAddress) {
    apply({.ingress_targets = {address("10.1.0.2"), address("fd00:1::2")}});
    for (const bool is_tcp : {kTcpSocket, kUdp}) {
        const Server v4(cluster, is_tcp, "10.1.0.2", 80), v6(cluster, is_tcp, "fd00:1::2", 80);
        EXPECT_EQ(connect(tailnet, is_tcp, "100.64.0.1", 80, {&v4, &v6}),
                  "10.1.0.2:80 from 100.64.0.8");
        EXPECT_EQ(connect(tailnet, is_tcp, "fd7a::1", 80, {&v4, &v6}), "fd00:1::2:80 from fd7a::9");
    }
}

TEST_F(PacketsTest, IngressToAllAddressesOfAName) {
    apply({.ingress_targets = {address("10.1.0.2"), address("10.1.0.3"), address("10.1.0.4"),
                               address("fd00:1::2"), address("fd00:1::3")}});
    for (const bool is_tcp : {kTcpSocket, kUdp}) {
        const Server a(cluster, is_tcp, "10.1.0.2", 80), b(cluster, is_tcp, "10.1.0.3", 80),
            c(cluster, is_tcp, "10.1.0.4", 80), d(cluster, is_tcp, "fd00:1::2", 80),
            e(cluster, is_tcp, "fd00:1::3", 80);
        const auto v4 = spread(tailnet, is_tcp, "100.64.0.1", 80, {&a, &b, &c, &d, &e});
        EXPECT_EQ(v4.size(), 3U);
        for (const auto& [server, count] : v4) {
            EXPECT_GE(count, 4) << server;  // of 20; a random spread fails once in 400,000 runs
        }
        EXPECT_EQ(spread(tailnet, is_tcp, "fd7a::1", 80, {&a, &b, &c, &d, &e}).size(), 2U);
    }
}

TEST_F(PacketsTest, EgressToAnAddress) {
    apply({.egress_targets = {address("100.64.0.9"), address("fd7a::9")}});
    for (const bool is_tcp : {kTcpSocket, kUdp}) {
        const Server v4(tailnet, is_tcp, "100.64.0.9", 443), v6(tailnet, is_tcp, "fd7a::9", 443);
        EXPECT_EQ(connect(cluster, is_tcp, "10.1.0.7", 443, {&v4, &v6}),
                  "100.64.0.9:443 from 100.64.0.1");
        EXPECT_EQ(connect(cluster, is_tcp, "fd00:1::7", 443, {&v4, &v6}),
                  "fd7a::9:443 from fd7a::1");
        // Traffic from the tunnel is for the pod itself.
        const Server own4(pod, is_tcp, "100.64.0.1", 443), own6(pod, is_tcp, "fd7a::1", 443);
        EXPECT_EQ(connect(tailnet, is_tcp, "100.64.0.1", 443, {&own4, &own6, &v4, &v6}),
                  "100.64.0.1:443 from 100.64.0.8");
        EXPECT_EQ(connect(tailnet, is_tcp, "fd7a::1", 443, {&own4, &own6, &v4, &v6}),
                  "fd7a::1:443 from fd7a::9");
    }
}

TEST_F(PacketsTest, EgressToSeveralAddresses) {
    apply({.egress_targets = {address("100.64.0.9"), address("100.64.0.8"), address("fd7a::9"),
                              address("fd7a::8")}});
    for (const bool is_tcp : {kTcpSocket, kUdp}) {
        const Server a(tailnet, is_tcp, "100.64.0.9", 443), b(tailnet, is_tcp, "100.64.0.8", 443),
            c(tailnet, is_tcp, "fd7a::9", 443), d(tailnet, is_tcp, "fd7a::8", 443);
        EXPECT_EQ(spread(cluster, is_tcp, "10.1.0.7", 443, {&a, &b, &c, &d}).size(), 2U);
        EXPECT_EQ(spread(cluster, is_tcp, "fd00:1::7", 443, {&a, &b, &c, &d}).size(), 2U);
    }
}

TEST_F(PacketsTest, EgressServicesByPortAndProtocol) {
    const auto port = [](bool is_tcp, std::uint16_t match, std::uint16_t target,
                         const std::vector<const char*>& targets) {
        EgressPort made{.protocol = is_tcp ? Protocol::Tcp : Protocol::Udp,
                        .match_port = match,
                        .target_port = target};
        for (const char* one : targets) {
            made.targets.push_back(address(one));
        }
        return made;
    };
    Forwarding forwarding{
        .egress_ports = {port(kTcpSocket, 10001, 443, {"100.64.0.9", "fd7a::9"}),
                         port(kUdp, 10001, 53, {"100.64.0.8", "fd7a::8"}),
                         port(kTcpSocket, 10002, 80, {"100.64.0.8", "100.64.0.9"})}};
    apply(forwarding);
    const Server a(tailnet, kTcpSocket, "100.64.0.9", 443), b(tailnet, kTcpSocket, "fd7a::9", 443),
        c(tailnet, kUdp, "100.64.0.8", 53), d(tailnet, kUdp, "fd7a::8", 53),
        e(tailnet, kTcpSocket, "100.64.0.8", 80), f(tailnet, kTcpSocket, "100.64.0.9", 80),
        health(pod, kTcpSocket, "10.1.0.7", 9002);
    const std::vector<const Server*> all = {&a, &b, &c, &d, &e, &f, &health};
    EXPECT_EQ(connect(cluster, kTcpSocket, "10.1.0.7", 10001, all),
              "100.64.0.9:443 from 100.64.0.1");
    EXPECT_EQ(connect(cluster, kTcpSocket, "fd00:1::7", 10001, all), "fd7a::9:443 from fd7a::1");
    EXPECT_EQ(connect(cluster, kUdp, "10.1.0.7", 10001, all), "100.64.0.8:53 from 100.64.0.1");
    EXPECT_EQ(connect(cluster, kUdp, "fd00:1::7", 10001, all), "fd7a::8:53 from fd7a::1");
    EXPECT_EQ(spread(cluster, kTcpSocket, "10.1.0.7", 10002, all).size(), 2U);
    EXPECT_EQ(connect(cluster, kTcpSocket, "10.1.0.7", 9002, all), "10.1.0.7:9002 from 10.1.0.2");
    EXPECT_EQ(connect(cluster, kTcpSocket, "10.1.0.7", 10003, all), "Connection refused");
    forwarding.egress_ports.pop_back();
    apply(forwarding);
    EXPECT_EQ(connect(cluster, kTcpSocket, "10.1.0.7", 10002, all), "Connection refused");
    EXPECT_EQ(connect(cluster, kTcpSocket, "10.1.0.7", 10001, all),
              "100.64.0.9:443 from 100.64.0.1");
}

TEST_F(PacketsTest, IngressServices) {
    apply({.ingress_services = {{address("100.100.1.1"), address("10.1.0.2")},
                                {address("100.100.1.2"), address("10.1.0.3")},
                                {address("fd7a:100::1"), address("fd00:1::2")}}});
    for (const bool is_tcp : {kTcpSocket, kUdp}) {
        const Server a(cluster, is_tcp, "10.1.0.2", 80), b(cluster, is_tcp, "10.1.0.3", 80),
            c(cluster, is_tcp, "fd00:1::2", 80);
        EXPECT_EQ(connect(tailnet, is_tcp, "100.100.1.1", 80, {&a, &b, &c}),
                  "10.1.0.2:80 from 100.64.0.8");
        EXPECT_EQ(connect(tailnet, is_tcp, "100.100.1.2", 80, {&a, &b, &c}),
                  "10.1.0.3:80 from 100.64.0.8");
        EXPECT_EQ(connect(tailnet, is_tcp, "fd7a:100::1", 80, {&a, &b, &c}),
                  "fd00:1::2:80 from fd7a::9");
    }
}

TEST_F(PacketsTest, TrafficOfTheClusterViaAnIngress) {
    apply({.via_ingress = {address("10.1.0.7"), address("fd00:1::7")}});
    for (const bool is_tcp : {kTcpSocket, kUdp}) {
        const Server v4(pod, is_tcp, "100.64.0.1", 443), v6(pod, is_tcp, "fd7a::1", 443);
        EXPECT_EQ(connect(cluster, is_tcp, "10.1.0.7", 443, {&v4, &v6}),
                  "100.64.0.1:443 from 10.1.0.2");
        EXPECT_EQ(connect(cluster, is_tcp, "fd00:1::7", 443, {&v4, &v6}),
                  "fd7a::1:443 from fd00:1::4");
    }
}

// Both sides learn the MTU of the tunnel. A subnet router has no other rules.
TEST_F(PacketsTest, ClampsTheSegmentsOfBothDirections) {
    const auto sizes = [&](const Namespace& from, const Namespace& at, const char* to) {
        const Server server(at, kTcpSocket, to, 80);
        Client client(from, kTcpSocket, to, 80);
        exchange(client, {&server});
        return fmt::format("{} {}", segment_size(client.socket), segment_size(client.accepted));
    };
    EXPECT_EQ(sizes(cluster, tailnet, "100.64.0.9"), "1448 1448");
    apply({});
    // The MTU less headers and 12 bytes of time stamps.
    EXPECT_EQ(sizes(cluster, tailnet, "100.64.0.9"), "1228 1228");
    EXPECT_EQ(sizes(cluster, tailnet, "fd7a::9"), "1208 1208");
    EXPECT_EQ(sizes(tailnet, cluster, "10.1.0.2"), "1228 1228");
    EXPECT_EQ(sizes(tailnet, cluster, "fd00:1::2"), "1208 1208");
}

// New connections and all datagrams go to the new target. Established connections stay where they
// are.
TEST_F(PacketsTest, MovesDatagramsAndKeepsConnectionsWhenATargetChanges) {
    const Server tcp8(tailnet, kTcpSocket, "100.64.0.8", 443),
        tcp9(tailnet, kTcpSocket, "100.64.0.9", 443), udp8(tailnet, kUdp, "100.64.0.8", 443),
        udp9(tailnet, kUdp, "100.64.0.9", 443);
    const std::vector<const Server*> all = {&tcp8, &tcp9, &udp8, &udp9};
    Client early(cluster, kUdp, "10.1.0.7", 443);
    EXPECT_EQ(exchange(early, all), "Connection refused");
    apply({.egress_targets = {address("100.64.0.8")}});
    EXPECT_EQ(exchange(early, all), "100.64.0.8:443 from 100.64.0.1");
    Client connected(cluster, kTcpSocket, "10.1.0.7", 443),
        datagrams(cluster, kUdp, "10.1.0.7", 443);
    EXPECT_EQ(exchange(connected, all), "100.64.0.8:443 from 100.64.0.1");
    EXPECT_EQ(exchange(datagrams, all), "100.64.0.8:443 from 100.64.0.1");
    apply({.egress_targets = {address("100.64.0.9")}});
    EXPECT_EQ(exchange(datagrams, all), "100.64.0.9:443 from 100.64.0.1");
    EXPECT_EQ(exchange(early, all), "100.64.0.9:443 from 100.64.0.1");
    EXPECT_EQ(connect(cluster, kTcpSocket, "10.1.0.7", 443, all), "100.64.0.9:443 from 100.64.0.1");
    ASSERT_EQ(::send(connected.accepted.get(), "more", 4, MSG_NOSIGNAL), 4);
    char buffer[4];
    ASSERT_EQ(wait_for({connected.socket.get()}, POLLIN), 0U);
    EXPECT_EQ(::recv(connected.socket.get(), buffer, sizeof buffer, 0), 4);
}

}  // namespace
}  // namespace runtime::nft
