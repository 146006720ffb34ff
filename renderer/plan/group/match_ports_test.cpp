#include "renderer/plan/group/match_ports.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace renderer::plan {
namespace {

std::vector<std::string> keys_of(int count) {
    std::vector<std::string> keys;
    keys.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        keys.push_back(fmt::format("out/shop/svc-{:03}/80/TCP", i));
    }
    return keys;
}

std::map<std::string, std::int64_t> assign(const std::set<std::string>& keys,
                                           const PortPins& pins = {}) {
    const std::vector<std::string> sorted(keys.begin(), keys.end());
    const std::vector<std::int64_t> ports = allocate_ports(sorted, pins);
    EXPECT_EQ(ports.size(), sorted.size());
    std::map<std::string, std::int64_t> assigned;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        assigned.emplace(sorted[i], ports[i]);
    }
    return assigned;
}

void expect_sound(const std::vector<std::int64_t>& ports) {
    const std::set<std::int64_t> unique(ports.begin(), ports.end());
    EXPECT_EQ(unique.size(), ports.size());
    if (!unique.empty()) {
        EXPECT_GE(*unique.begin(), 10000);
        EXPECT_LE(*unique.rbegin(), 10999);
    }
}

// The SHA-256 of this key, read as one number, ends in 606.
TEST(GroupPorts, AreMadeOfTheKey) {
    EXPECT_EQ(allocate_ports({}, {}), std::vector<std::int64_t>());
    const std::vector<std::int64_t> ports = allocate_ports({"out/data/office-pg/5432/TCP"}, {});
    EXPECT_EQ(ports, std::vector<std::int64_t>{10606});
}

TEST(GroupPorts, TakeTheNextFreeOneInOrder) {
    const std::vector<std::int64_t> alone = allocate_ports({"a"}, {});
    const PortPins pins = {{"b", alone[0]}};
    EXPECT_EQ(allocate_ports({"a", "b"}, pins),
              (std::vector<std::int64_t>{alone[0] == 10999 ? 10000 : alone[0] + 1, alone[0]}));
    EXPECT_EQ(allocate_ports({"a"}, pins), alone) << "a pin of no one reserves nothing";
    EXPECT_EQ(allocate_ports({"a", "b"}, {{"a", 10999}, {"b", 10999}})[0], 10999);
}

TEST(GroupPorts, FillTheWholeRangeAndNoMore) {
    const std::vector<std::int64_t> ports = allocate_ports(keys_of(kMaxGroupPorts), {});
    EXPECT_EQ(ports.size(), kMaxGroupPorts);
    expect_sound(ports);
    EXPECT_TRUE(allocate_ports(keys_of(kMaxGroupPorts + 1), {}).empty());
}

// With a lock that each run updates, no port ever changes, whichever keys are added and removed.
TEST(GroupPorts, StayWhereALockHasThemOverAnySequence) {
    std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same sequences on every run
    const std::vector<std::string> all = keys_of(kMaxGroupPorts);
    for (int sequence = 0; sequence < 20; ++sequence) {
        std::set<std::string> keys;
        PortPins lock;
        for (int step = 0; step < 60; ++step) {
            const bool grow = keys.empty() || random() % 3 != 0;
            for (auto changes = random() % 60; changes > 0; --changes) {
                const std::string& key = all[random() % all.size()];
                grow ? (void)keys.insert(key) : (void)keys.erase(key);
            }
            const auto assigned = assign(keys, lock);
            std::vector<std::int64_t> ports;
            for (const auto& [key, port] : assigned) {
                const auto before = lock.find(key);
                EXPECT_TRUE(before == lock.end() || before->second == port) << key;
                ports.push_back(port);
            }
            expect_sound(ports);
            lock = PortPins(assigned.begin(), assigned.end());
        }
    }
}

// Without a lock, ports do not depend on earlier runs, and adding or removing a key changes at most
// the ports that collide with it.
TEST(GroupPorts, DependOnTheKeysAloneWithoutALock) {
    std::mt19937 random(2);  // NOLINT(cert-msc51-cpp)
    const std::vector<std::string> all = keys_of(300);
    std::set<std::string> keys(all.begin(), all.begin() + 200);
    for (int step = 0; step < 200; ++step) {
        const auto before = assign(keys);
        const std::string& key = all[random() % all.size()];
        if (keys.erase(key) == 0) {
            keys.insert(key);
        }
        const auto after = assign(keys);
        EXPECT_EQ(after, assign(keys));
        const auto moved = std::ranges::count_if(before, [&](const auto& entry) {
            const auto now = after.find(entry.first);
            return now != after.end() && now->second != entry.second;
        });
        EXPECT_LE(moved, 5);
    }
}

}  // namespace
}  // namespace renderer::plan
