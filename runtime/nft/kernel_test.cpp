// The rules in a real kernel, compared with nft(8), in a network namespace of the test.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "renderer/base/temporary_folder_testing.h"
#include "runtime/base/asio_loop.h"
#include "runtime/nft/desired.h"
#include "runtime/nft/forwarding_testing.h"
#include "runtime/nft/namespaces_testing.h"
#include "runtime/nft/netlink.h"
#include "runtime/nft/reconciler.h"
#include "runtime/nft/rule_watch.h"
#include "runtime/nft/text.h"

namespace runtime::nft {
namespace {

std::string listing() {
    return output_of("nft list ruleset");
}

// Loads the text as `nft -f` does and returns the listing.
std::string load(const std::string& text) {
    const renderer::TemporaryFolder folder;
    const std::string path = folder.path() + "/rules.nft";
    std::ofstream(path) << text;
    output_of("nft -f " + path);
    return listing();
}

class KernelTest : public testing::Test {
protected:
    void SetUp() override {
        auto opened = open_kernel();
        ASSERT_TRUE(opened.has_value()) << opened.error().diagnostic.message;
        kernel = std::move(*opened);
    }

    // Changes the live table to the wanted one, and returns the batch.
    Batch apply(const Forwarding& forwarding) {
        auto live = kernel->read();
        EXPECT_TRUE(live.has_value()) << live.error().diagnostic.message;
        Batch batch = diff(live->table, desired(forwarding));
        auto applied = kernel->apply(batch, live->generation);
        EXPECT_TRUE(applied.has_value()) << applied.error().diagnostic.message << "\n"
                                         << dump(batch);
        return batch;
    }

    Ruleset live() {
        auto read = kernel->read();
        EXPECT_TRUE(read.has_value());
        EXPECT_TRUE(read->table.has_value());
        return *read->table;
    }

    Namespace own;
    std::unique_ptr<Dataplane> kernel;
};

TEST_F(KernelTest, TextAndBatchLeaveTheSameRules) {
    RandomSource random(7);
    for (int i = 0; i < 20; ++i) {
        const Forwarding forwarding = random_forwarding(random, 20);
        SCOPED_TRACE(dump(desired(forwarding)));
        output_of("nft flush ruleset");
        const Batch batch = apply(forwarding);
        EXPECT_EQ(live(), desired(forwarding));
        const std::string applied = listing();
        output_of("nft flush ruleset");
        EXPECT_EQ(load(dump(desired(forwarding))), applied);
        EXPECT_EQ(live(), desired(forwarding));
        output_of("nft flush ruleset");
        EXPECT_EQ(load(dump(batch)), applied);
        EXPECT_EQ(load("table inet tailrender\ndelete table inet tailrender\n" + applied), applied);
    }
}

// Whatever the table held before, after each change the kernel holds the wanted rules and nothing
// else.
TEST_F(KernelTest, RandomChangesLeaveExactlyTheExpectedRules) {
    const char* count = std::getenv("TAILRENDER_CHANGES");
    const char* seed = std::getenv("TAILRENDER_SEED");
    const int changes = count == nullptr ? 200 : std::stoi(count);
    RandomSource random(seed == nullptr ? 11 : std::stoul(seed));
    Forwarding forwarding;
    for (int i = 0; i < changes; ++i) {
        change(forwarding, random);
        const Ruleset wanted = desired(forwarding);
        const std::string text = dump(apply(forwarding));
        ASSERT_EQ(live(), wanted) << i << "\n" << text << dump(live());
    }
    std::printf("%d random changes, each leaves exactly the expected rules\n", changes);
}

Forwarding one_port(std::uint16_t match_port, const char* target) {
    return {.own = {*IpAddress::parse("100.64.0.1")},
            .egress_ports = {{.protocol = Protocol::Udp,
                              .match_port = match_port,
                              .target_port = 53,
                              .targets = {*IpAddress::parse(target)}}}};
}

TEST_F(KernelTest, TakesThousandsOfServicesAtOnce) {
    Forwarding forwarding{.own = {*IpAddress::parse("100.64.0.1"), *IpAddress::parse("fd7a::1")}};
    for (std::uint32_t port = 0; port < 20000; ++port) {
        forwarding.egress_ports.push_back(
            {.match_port = static_cast<std::uint16_t>(port),
             .target_port = 443,
             .targets = {*IpAddress::parse("100.64.0.9"), *IpAddress::parse("fd7a::9")}});
    }
    apply(forwarding);
    EXPECT_TRUE(live() == desired(forwarding));
    forwarding.egress_ports.erase(forwarding.egress_ports.begin(),
                                  forwarding.egress_ports.begin() + 19999);
    apply(forwarding);
    EXPECT_EQ(live(), desired(forwarding));
}

TEST_F(KernelTest, LeavesOthersTablesAlone) {
    const std::string others =
        "table ip nat {\n"
        "\tchain ts-postrouting {\n"
        "\t\tmeta mark & 0x0000ff00 == 0x00000400 counter packets 0 bytes 0 masquerade\n"
        "\t}\n"
        "\n"
        "\tchain POSTROUTING {\n"
        "\t\ttype nat hook postrouting priority srcnat; policy accept;\n"
        "\t\tcounter packets 0 bytes 0 jump ts-postrouting\n"
        "\t}\n"
        "}\n";
    EXPECT_EQ(load(others), others);
    apply(one_port(10001, "100.64.0.9"));
    apply(one_port(10001, "100.64.0.8"));
    EXPECT_EQ(output_of("nft list table ip nat"), others);
    auto all = read_all_tables();
    ASSERT_TRUE(all.has_value());
    ASSERT_EQ(all->size(), 2U);
    EXPECT_EQ((*all)[0], desired(one_port(10001, "100.64.0.8")));
    EXPECT_EQ(dump((*all)[1]),
              "table ip nat {\n"
              "\tchain POSTROUTING {\n"
              "\t\ttype nat hook postrouting priority srcnat; policy accept;\n"
              "\t\t# [ counter pkts 0 bytes 0 ] [ immediate reg 0 jump -> ts-postrouting ]\n"
              "\t}\n"
              "\tchain ts-postrouting {\n"
              "\t\t# [ meta load mark => reg 1 ] [ reg 0 & 0x00ff0000 == 0x00040000 ] [ counter "
              "pkts 0 bytes 0 ] "
              "[ masq ]\n"
              "\t}\n"
              "}\n");
}

TEST_F(KernelTest, RefusesWhatWasMadeForOtherRules) {
    auto before = kernel->read();
    ASSERT_TRUE(before.has_value());
    output_of("nft add table ip other");
    auto applied = kernel->apply(diff({}, desired({})), before->generation);
    ASSERT_FALSE(applied.has_value());
    EXPECT_EQ(applied.error().diagnostic.message,
              "cannot change the rules: rules changed meanwhile");
    EXPECT_FALSE(kernel->read()->table.has_value());
}

TEST_F(KernelTest, NamesWhatTheKernelRefuses) {
    Ruleset broken = desired(one_port(10001, "100.64.0.9"));
    broken.maps.clear();
    auto applied = kernel->apply(diff({}, broken), 0);
    ASSERT_FALSE(applied.has_value());
    EXPECT_EQ(applied.error().diagnostic.message,
              "cannot add rule prerouting iifname != \"tailscale0\" dnat ip to meta l4proto . th "
              "dport map "
              "@egress4: No such file or directory");
    EXPECT_EQ(listing(), "");  // all or nothing
}

TEST_F(KernelTest, NamesTheCapabilityThatIsMissing) {
    ASSERT_EQ(seteuid(65534), 0);
    auto opened = open_kernel();
    ASSERT_EQ(seteuid(0), 0);
    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().diagnostic.message, "cannot use nftables: Operation not permitted");
    EXPECT_EQ(opened.error().diagnostic.hint,
              "give the container the capability NET_ADMIN, or run it privileged");
}

void track(const std::string& flow) {
    output_of("conntrack -I --timeout 100 " + flow);
}

TEST_F(KernelTest, EndsTheTrackingOfConnectionsToRemovedTargets) {
    output_of("ip addr add 10.1.0.7/24 dev lo");
    apply(one_port(10001, "100.64.0.9"));
    const auto udp = [](int from_port, int to_port, const std::string& reply) {
        track(fmt::format("-p udp -s 10.1.0.2 -d 10.1.0.7 --sport {} --dport {} {}", from_port,
                          to_port, reply));
    };
    const auto sent_to = [](const std::string& target, int from_port) {
        return fmt::format("-r {} -q 100.64.0.1 --reply-port-src 53 --reply-port-dst {}", target,
                           from_port);
    };
    udp(1, 10001, sent_to("100.64.0.9", 1));  // to the current target
    udp(2, 10001, sent_to("100.64.0.8", 2));  // to a former target
    udp(3, 10001, "");                        // created before the rules
    udp(4, 10002, "");                        // to a port that is not ours
    const std::string established =
        "-p tcp -s 10.1.0.2 -d 10.1.0.7 --sport 5 --dport 10003 --state ESTABLISHED -u "
        "SEEN_REPLY,ASSURED "
        "-r 100.64.0.8 -q 100.64.0.1 --reply-port-src 443 --reply-port-dst 5";
    track(established);
    auto removed = kernel->remove_stale_flows(one_port(10001, "100.64.0.9"));
    ASSERT_TRUE(removed.has_value()) << removed.error().diagnostic.message;
    EXPECT_EQ(*removed, 2U);
    EXPECT_EQ(
        output_of("conntrack -L 2>/dev/null | grep -oE 'sport=[0-9]+ dport=1000[0-9]' | sort"),
        "sport=1 dport=10001\nsport=4 dport=10002\nsport=5 dport=10003\n");
}

// When another program flushes all rules, they are restored without a change of the wanted state.
TEST_F(KernelTest, ComesBackAfterAFlush) {
    AsioLoop loop;
    Log log(Log::Form::Text, LogLevel::Error);
    RandomSource random(1);
    const Forwarding wanted = one_port(10001, "100.64.0.9");
    int applied = 0;
    Reconciler reconciler(loop, log, random, *kernel, [&] {
        ++applied;
        EXPECT_EQ(live(), desired(wanted));
        if (applied < 4) {
            output_of(applied % 2 == 0 ? "nft flush ruleset"
                                       : "nft flush chain inet tailrender prerouting");
        } else {
            loop.stop();
        }
    });
    RuleWatch watch(loop, [&] { reconciler.disturbed(); });
    ASSERT_TRUE(watch.start().has_value());
    reconciler.set(wanted);
    loop.run();
    EXPECT_EQ(applied, 4);
    EXPECT_EQ(live(), desired(wanted));
    EXPECT_TRUE(reconciler.is_applied());
}

}  // namespace
}  // namespace runtime::nft
