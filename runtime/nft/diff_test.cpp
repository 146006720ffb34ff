#include "runtime/nft/diff.h"

#include <gtest/gtest.h>

#include "runtime/nft/desired.h"
#include "runtime/nft/forwarding_testing.h"
#include "runtime/nft/text.h"

namespace runtime::nft {
namespace {

Forwarding ports(const std::vector<std::pair<std::uint16_t, std::vector<const char*>>>& wanted) {
    Forwarding forwarding{.own = {*IpAddress::parse("100.64.0.1")}};
    for (const auto& [match_port, targets] : wanted) {
        EgressPort port{.match_port = match_port, .target_port = 443};
        for (const char* target : targets) {
            port.targets.push_back(*IpAddress::parse(target));
        }
        forwarding.egress_ports.push_back(port);
    }
    return forwarding;
}

std::string diff_of(const Forwarding& from, const Forwarding& to) {
    return dump(diff(desired(from), desired(to)));
}

TEST(Diff, MakesATableWhereThereIsNone) {
    EXPECT_EQ(
        dump(diff({}, desired(ports({{10001, {"100.64.0.9"}}})))),
        "add table inet tailrender\n"
        "add map inet tailrender egress4 { type inet_proto . inet_service : ipv4_addr . "
        "inet_service; }\n"
        "add chain inet tailrender forward { type filter hook forward priority mangle; policy "
        "accept; }\n"
        "add chain inet tailrender postrouting { type nat hook postrouting priority srcnat - 1; "
        "policy "
        "accept; }\n"
        "add chain inet tailrender prerouting { type nat hook prerouting priority dstnat - 1; "
        "policy "
        "accept; }\n"
        "add rule inet tailrender forward iifname \"tailscale0\" tcp flags syn tcp option maxseg "
        "size set "
        "rt mtu\n"
        "add rule inet tailrender forward oifname \"tailscale0\" tcp flags syn tcp option maxseg "
        "size set "
        "rt mtu\n"
        "add rule inet tailrender postrouting oifname \"tailscale0\" ct status dnat snat ip to "
        "100.64.0.1\n"
        "add rule inet tailrender prerouting iifname != \"tailscale0\" dnat ip to meta l4proto . "
        "th dport "
        "map @egress4\n"
        "add element inet tailrender egress4 { tcp . 10001 : 100.64.0.9 . 443 }\n");
}

TEST(Diff, ChangesElementsAlone) {
    const auto from = ports({{10001, {"100.64.0.9"}}, {10002, {"100.64.0.8"}}});
    EXPECT_EQ(diff_of(from, from), "");
    EXPECT_EQ(diff_of(from, ports({{10001, {"100.64.0.7"}}, {10002, {"100.64.0.8"}}})),
              "delete element inet tailrender egress4 { tcp . 10001 : 100.64.0.9 . 443 }\n"
              "add element inet tailrender egress4 { tcp . 10001 : 100.64.0.7 . 443 }\n");
    EXPECT_EQ(diff_of(from, ports({{10002, {"100.64.0.8"}}, {10003, {"100.64.0.8"}}})),
              "delete element inet tailrender egress4 { tcp . 10001 : 100.64.0.9 . 443 }\n"
              "add element inet tailrender egress4 { tcp . 10003 : 100.64.0.8 . 443 }\n");
}

TEST(Diff, RewritesAChainForAnotherNumberOfTargets) {
    const std::string head = "iifname != \"tailscale0\" dnat ip to meta l4proto . th dport ";
    EXPECT_EQ(diff_of(ports({{10001, {"100.64.0.9"}}, {10002, {"100.64.0.8"}}}),
                      ports({{10001, {"100.64.0.9"}}, {10002, {"100.64.0.8", "100.64.0.7"}}})),
              "add map inet tailrender egress4_2 { typeof meta l4proto . th dport . numgen random "
              "mod 2 : ip "
              "daddr . th dport; }\n"
              "flush chain inet tailrender prerouting\n"
              "add rule inet tailrender prerouting " +
                  head +
                  "map @egress4\n"
                  "add rule inet tailrender prerouting " +
                  head +
                  ". numgen random mod 2 map @egress4_2\n"
                  "delete element inet tailrender egress4 { tcp . 10002 : 100.64.0.8 . 443 }\n"
                  "add element inet tailrender egress4_2 { tcp . 10002 . 0 : 100.64.0.7 . 443, tcp "
                  ". 10002 . 1 : "
                  "100.64.0.8 . 443 }\n");
    EXPECT_EQ(diff_of(ports({{10001, {"100.64.0.9"}}}), ports({})),
              "flush chain inet tailrender postrouting\n"
              "flush chain inet tailrender prerouting\n"
              "delete map inet tailrender egress4\n");
}

TEST(Diff, ReplacesATableThatCannotBeChanged) {
    const Ruleset wanted = desired(ports({{10001, {"100.64.0.9"}}}));
    const std::string all = "delete table inet tailrender\n" + dump(diff({}, wanted));
    std::vector<Ruleset> odd(4, wanted);
    odd[0].maps[0].type.flags = 4;  // NFT_SET_INTERVAL
    odd[1].maps[0].type.value = {Part::Ipv6, Part::Port};
    odd[2].chains[1].hook.priority = 100;
    odd[3].chains.push_back({.name = "theirs"});
    for (const Ruleset& ruleset : odd) {
        EXPECT_EQ(dump(diff(ruleset, wanted)), all) << dump(ruleset);
    }
    Ruleset disturbed = wanted;
    disturbed.chains[0].rules.push_back({Foreign{"counter pkts 0 bytes 0"}});
    disturbed.maps[0].elements.clear();
    EXPECT_EQ(dump(diff(disturbed, wanted)),
              "flush chain inet tailrender forward\n"
              "add rule inet tailrender forward iifname \"tailscale0\" tcp flags syn tcp option "
              "maxseg size "
              "set rt mtu\n"
              "add rule inet tailrender forward oifname \"tailscale0\" tcp flags syn tcp option "
              "maxseg size "
              "set rt mtu\n"
              "add element inet tailrender egress4 { tcp . 10001 : 100.64.0.9 . 443 }\n");
}

// Executes a batch on a value, as the kernel would.
Ruleset carry_out(std::optional<Ruleset> table, const Batch& batch) {
    if (batch.delete_table) {
        table.reset();
    }
    if (batch.add_table) {
        table = Ruleset{};
    }
    const auto by_name = [](const auto& a, const auto& b) { return a.name < b.name; };
    for (Map map : batch.added_maps) {
        table->maps.push_back(std::move(map));
    }
    for (const std::string& name : batch.removed_maps) {
        std::erase_if(table->maps, [&](const Map& map) { return map.name == name; });
    }
    for (Map& map : table->maps) {
        for (const MapChange& change : batch.changed_maps) {
            if (change.map == map.name) {
                for (const Element& element : change.removed) {
                    EXPECT_EQ(std::erase(map.elements, element), 1U);
                }
                map.elements.insert(map.elements.end(), change.added.begin(), change.added.end());
                std::sort(map.elements.begin(), map.elements.end(),
                          [](const Element& a, const Element& b) { return a.key < b.key; });
            }
        }
    }
    for (const Chain& chain : batch.added_chains) {
        table->chains.push_back(chain);
    }
    for (Chain& chain : table->chains) {
        for (const Chain& wanted : batch.rewritten_chains) {
            if (wanted.name == chain.name) {
                chain.rules = wanted.rules;
            }
        }
    }
    std::sort(table->maps.begin(), table->maps.end(), by_name);
    std::sort(table->chains.begin(), table->chains.end(), by_name);
    return *table;
}

TEST(Diff, LeadsFromAnyStateToAnyOther) {
    RandomSource random(3);
    Forwarding forwarding;
    std::optional<Ruleset> current;
    for (int i = 0; i < 3000; ++i) {
        change(forwarding, random);
        const Ruleset wanted = desired(forwarding);
        const Batch batch = diff(current, wanted);
        EXPECT_EQ(batch.empty(), current == wanted);
        current = carry_out(current, batch);
        ASSERT_EQ(*current, wanted) << dump(batch);
    }
}

}  // namespace
}  // namespace runtime::nft
