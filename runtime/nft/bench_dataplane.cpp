// Measures the cost of the rules, compared with nft(8) and with a ruleset written by hand: see
// scripts/bench_dataplane. It runs in network namespaces of its own, without WireGuard. Every
// figure is the median of 9 runs, each of which is paired with a run of what it is compared with.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>

#include "renderer/base/check.h"
#include "runtime/nft/desired.h"
#include "runtime/nft/ip_forwarding.h"
#include "runtime/nft/netlink.h"
#include "runtime/nft/sockets_testing.h"
#include "runtime/nft/text.h"

namespace {

using namespace runtime;
using namespace runtime::nft;

constexpr int kRuns = 9;
constexpr std::uint16_t kFirstPort = 10000;
constexpr bool kUdp = false;
// One service as a person would write it.
constexpr const char* kByHand =
    "table ip byhand {\n"
    " chain pre { type nat hook prerouting priority dstnat; iifname != \"tailscale0\" udp dport "
    "10000 dnat to "
    "100.64.0.9:443; }\n"
    " chain post { type nat hook postrouting priority srcnat; ip daddr 100.64.0.9 snat to "
    "100.64.0.1; }\n"
    " chain mss { type filter hook forward priority mangle; oifname \"tailscale0\" tcp flags syn "
    "tcp option maxseg "
    "size set rt mtu; }\n"
    "}\n";

double seconds_of(const auto& task) {
    const auto start = std::chrono::steady_clock::now();
    task();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Returns CPU time, including the kernel's for this process. Packets are processed on the sender's
// time, and the load of other processes does not count.
double cpu_seconds_of(const auto& task) {
    const auto now = [] {
        timespec time{};
        CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0);
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
    };
    const double start = now();
    task();
    return now() - start;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

Forwarding services(int count) {
    Forwarding forwarding{.own = {*IpAddress::parse("100.64.0.1")}};
    for (int i = 0; i < count; ++i) {
        forwarding.egress_ports.push_back({.protocol = Protocol::Udp,
                                           .match_port = static_cast<std::uint16_t>(kFirstPort + i),
                                           .target_port = 443,
                                           .targets = {*IpAddress::parse("100.64.0.9")}});
    }
    return forwarding;
}

// A cluster, a pod and a tailnet. IPv4 only.
struct World {
    World() {
        pod.run("ip link add eth0 type veth peer name c0 netns " + cluster.path());
        pod.run("ip link add tailscale0 type veth peer name t0 netns " + tailnet.path());
        cluster.run("ip addr add 10.1.0.2/24 dev c0 && ip link set c0 up");
        tailnet.run("ip addr add 100.64.0.9/24 dev t0 && ip link set t0 up");
        pod.run(
            "ip addr add 10.1.0.7/24 dev eth0 && ip link set eth0 up && ip addr add 100.64.0.1/24 "
            "dev tailscale0 && ip "
            "link set tailscale0 up");
        CHECK(enable_forwarding("", {.v4 = true}).has_value());
        auto opened = open_kernel();
        CHECK(opened.has_value());
        kernel = std::move(*opened);
    }

    void apply(const Forwarding& forwarding) const {
        auto live = kernel->read();
        CHECK(live.has_value());
        CHECK(kernel->apply(diff(live->table, desired(forwarding)), live->generation).has_value());
    }
    void load(const std::string& text) const {
        pod.run("nft flush ruleset");
        std::ofstream(file) << text;
        output_of("nft -f " + file);
    }

    Namespace cluster, tailnet, pod;
    std::unique_ptr<Dataplane> kernel;
    std::string file = fmt::format("/tmp/bench_dataplane.{}", getpid());
};

bool print(const std::string& what, const std::string& figures, double ratio, double limit) {
    fmt::print("| {} | {} | {:.2f} | {:.2f} | {} |\n", what, figures, ratio, limit,
               ratio <= limit ? "met" : "MISSED");
    std::fflush(stdout);
    return ratio <= limit;
}

bool bench_apply(const World& world, int count) {
    const Forwarding wanted = services(count);
    std::vector<double> ours, theirs, ratios;
    std::ofstream(world.file) << dump(desired(wanted));
    for (int i = 0; i < kRuns; ++i) {
        world.pod.run("nft flush ruleset");
        theirs.push_back(seconds_of([&] { output_of("nft -f " + world.file); }));
        output_of("nft flush ruleset");
        ours.push_back(seconds_of([&] { world.apply(wanted); }));
        ratios.push_back(ours.back() / theirs.back());
    }
    return print(fmt::format("{} services at once, beside `nft -f`", count),
                 fmt::format("{:.1f} ms, {:.1f} ms", median(ours) * 1e3, median(theirs) * 1e3),
                 median(ratios), 1.5);
}

Endpoint receive(const Descriptor& socket) {
    Endpoint source;
    char buffer[4];
    while (::recvfrom(socket.get(), buffer, sizeof buffer, 0, source.get(), &source.size) != 4) {
        CHECK(wait_for({socket.get()}, POLLIN) == 0);
    }
    return source;
}

// Returns the time for `count` flows of one datagram each, to the same ten services.
double new_flows(const World& world, const Server& server, int count) {
    std::vector<Client> clients;
    clients.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        clients.emplace_back(world.cluster, kUdp, "10.1.0.7",
                             static_cast<std::uint16_t>(kFirstPort + i % 10));
    }
    return cpu_seconds_of([&] {
        for (const Client& client : clients) {
            CHECK(::send(client.socket.get(), "ping", 4, 0) == 4);
            receive(server.socket);
        }
    });
}

bool bench_lookup(const World& world) {
    constexpr int kFlows = 900, kRepetitions = 4;
    const Server server(world.tailnet, kUdp, "100.64.0.9", 443);
    std::vector<double> few, many, ratios;
    for (int i = 0; i < kRuns; ++i) {
        for (const int count : i % 2 == 0 ? std::array{10, 10000} : std::array{10000, 10}) {
            world.pod.enter();
            world.apply(services(count));
            double seconds = 0;
            for (int repetition = 0; repetition < kRepetitions; ++repetition) {
                world.pod.run("conntrack -F");
                seconds += new_flows(world, server, kFlows);
            }
            (count == 10 ? few : many).push_back(seconds / (kRepetitions * kFlows));
        }
        ratios.push_back(many.back() / few.back());
    }
    return print("a new flow to one of ten services among 10,000, beside ten alone",
                 fmt::format("{:.1f} us, {:.1f} us", median(many) * 1e6, median(few) * 1e6),
                 median(ratios), 1.1);
}

double round_trips(const World& world, const Server& server) {
    constexpr int kTrips = 20000;
    Client client(world.cluster, kUdp, "10.1.0.7", kFirstPort);
    CHECK(exchange(client, {&server}) == "100.64.0.9:443 from 100.64.0.1");
    const double seconds = cpu_seconds_of([&] {
        for (int i = 0; i < kTrips; ++i) {
            CHECK(::send(client.socket.get(), "ping", 4, 0) == 4);
            Endpoint source = receive(server.socket);
            CHECK(::sendto(server.socket.get(), "pong", 4, 0, source.get(), source.size) == 4);
            receive(client.socket);
        }
    });
    return seconds / kTrips;
}

bool bench_forwarding(const World& world) {
    const Server server(world.tailnet, kUdp, "100.64.0.9", 443);
    std::vector<double> ours, theirs, ratios;
    for (int i = 0; i < kRuns; ++i) {
        world.load(kByHand);
        theirs.push_back(round_trips(world, server));
        world.pod.run("nft flush ruleset");
        world.apply(services(1000));
        ours.push_back(round_trips(world, server));
        ratios.push_back(ours.back() / theirs.back());
    }
    return print("a round trip of a datagram, beside rules by hand for one service",
                 fmt::format("{:.2f} us, {:.2f} us", median(ours) * 1e6, median(theirs) * 1e6),
                 median(ratios), 1.05);
}

}  // namespace

int main() {
    const World world;
    fmt::print("| what | medians | ratio | limit | |\n|---|---|---|---|---|\n");
    bool met = bench_apply(world, 1000);
    met &= bench_apply(world, 10000);
    met &= bench_lookup(world);
    met &= bench_forwarding(world);
    std::remove(world.file.c_str());
    return met ? 0 : 1;
}
