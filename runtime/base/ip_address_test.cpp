#include "runtime/base/ip_address.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace runtime::inline base {
namespace {

TEST(IpAddress, ReadsAndWrites) {
    struct Case {
        std::string_view text, want;  // empty: refused
    };
    const Case cases[] = {
        {"10.0.0.1", "10.0.0.1"},
        {"0.0.0.0", "0.0.0.0"},
        {"FD7A:0:0::1", "fd7a::1"},
        {"::ffff:10.0.0.1", "::ffff:10.0.0.1"},
        {"::", "::"},
        {"", ""},
        {"10.0.0", ""},
        {"10.0.0.256", ""},
        {"10.0.0.01", ""},
        {"10.0.0.1/32", ""},
        {" 10.0.0.1", ""},
        {"fe80::1%eth0", ""},
        {"fd7a::1/128", ""},
        {std::string_view("10.0.0.1\0", 9), ""},
        {"db.example.com", ""},
    };
    for (const Case& row : cases) {
        SCOPED_TRACE(row.text);
        const auto address = IpAddress::parse(row.text);
        EXPECT_EQ(address ? address->text() : "", row.want);
        if (address) {
            EXPECT_EQ(IpAddress::from_bytes(address->bytes()), address);
            EXPECT_EQ(address->is_v6(), row.want.find(':') != std::string_view::npos);
        }
    }
    EXPECT_FALSE(IpAddress::from_bytes("12345").has_value());
}

TEST(IpAddress, OrdersIpv4First) {
    std::vector<IpAddress> addresses;
    for (const auto* text : {"fd7a::2", "10.0.0.10", "::1", "10.0.0.9", "9.255.255.255"}) {
        addresses.push_back(*IpAddress::parse(text));
    }
    std::sort(addresses.begin(), addresses.end());
    std::string order;
    for (const auto& address : addresses) {
        order += address.text() + " ";
    }
    EXPECT_EQ(order, "9.255.255.255 10.0.0.9 10.0.0.10 ::1 fd7a::2 ");
}

TEST(IpAddress, KnowsLoopback) {
    for (const auto* text : {"127.0.0.1", "127.8.0.0", "::1"}) {
        EXPECT_TRUE(IpAddress::parse(text)->is_loopback()) << text;
    }
    for (const auto* text : {"128.0.0.1", "::", "::2", "7f00::1"}) {
        EXPECT_FALSE(IpAddress::parse(text)->is_loopback()) << text;
    }
}

}  // namespace
}  // namespace runtime::inline base
