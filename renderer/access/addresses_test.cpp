#include "renderer/access/addresses.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace renderer::access {
namespace {

AddressSet set_of(const std::vector<std::string>& texts) {
    AddressSet set;
    for (const std::string& text : texts) {
        set.add(parse_range(text).value());
    }
    return set;
}

TEST(Addresses, ParsesRanges) {
    for (const char* good : {"10.0.0.1", "10.0.0.0/8", "10.0.0.1-10.0.0.9", "fd7a::1", "::/0"}) {
        EXPECT_TRUE(parse_range(good)) << good;
    }
    for (const char* bad : {"", "web", "10.0.0.9-10.0.0.1", "10.0.0.0/8-10.1.0.0", "10.0.0.1-::1",
                            "10.0.0.0/33", "010.0.0.1"}) {
        EXPECT_FALSE(parse_range(bad)) << bad;
    }
}

TEST(Addresses, CoversAdjacentRanges) {
    const AddressSet halves = set_of({"10.128.0.0/9", "10.0.0.0/9"});
    EXPECT_TRUE(halves.covers(set_of({"10.0.0.0/8"})));
    EXPECT_FALSE(halves.covers(set_of({"10.0.0.0/7"})));
    EXPECT_TRUE(halves.overlaps(set_of({"10.0.0.0/7"})));
    EXPECT_FALSE(halves.overlaps(set_of({"11.0.0.0/8", "::/0"})));
}

TEST(Addresses, MergesWhatOverlapsTheEndsOfAFamily) {
    const AddressSet all =
        set_of({"0.0.0.0/0", "10.0.0.0/8", "255.255.255.255", "::/0", "ff00::/8"});
    const AddressSet families = set_of({"0.0.0.0/0", "::/0"});
    EXPECT_TRUE(all.covers(families));
    EXPECT_TRUE(families.covers(all));
}

TEST(Addresses, Removes) {
    AddressSet set = set_of({"10.0.0.0/8"});
    set.remove(set_of({"10.0.0.0/16", "10.255.255.255", "11.0.0.0/8"}));
    EXPECT_TRUE(set.covers(set_of({"10.1.0.0-10.1.0.9", "10.255.255.254"})));
    EXPECT_FALSE(set.overlaps(set_of({"10.0.0.0/16", "10.255.255.255"})));
    set.remove(set_of({"10.0.0.0/8"}));
    EXPECT_TRUE(set.empty());
}

TEST(Addresses, KnowsTheInternet) {
    EXPECT_TRUE(internet_addresses().covers(set_of({"8.8.8.8", "2606:4700::1"})));
    EXPECT_FALSE(internet_addresses().overlaps(
        set_of({"10.0.0.0/8", "100.64.0.1", "192.168.1.1", "fd7a:115c:a1e0::1"})));
    EXPECT_TRUE(tailnet_addresses().covers(set_of({"100.64.0.1", "fd7a:115c:a1e0::1"})));
}

}  // namespace
}  // namespace renderer::access
