#include "runtime/base/ip_prefix.h"

#include <gtest/gtest.h>

namespace runtime::inline base {
namespace {

TEST(IpPrefix, HoldsWhatItsBitsSay) {
    const auto contains = [](std::string_view prefix, std::string_view address) {
        return IpPrefix::parse(prefix)->contains(*IpAddress::parse(address));
    };
    EXPECT_TRUE(contains("10.0.0.0/9", "10.127.255.255"));
    EXPECT_FALSE(contains("10.0.0.0/9", "10.128.0.0"));
    EXPECT_TRUE(contains("0.0.0.0/0", "9.9.9.9"));
    EXPECT_FALSE(contains("0.0.0.0/0", "::1"));
    EXPECT_TRUE(contains("fd00::/8", "fdff::1"));
    EXPECT_TRUE(IpPrefix::parse("::1/128")->is_one_address());
    EXPECT_TRUE(IpPrefix::parse("1.2.3.4")->is_one_address());
    EXPECT_FALSE(IpPrefix::parse("1.2.3.0/24")->is_one_address());
    EXPECT_EQ(IpPrefix::parse("::1")->text(), "::1/128");
    for (const std::string_view text : {"1.2.3.4/33", "1.2.3.4/", "1.2.3.4/-1", "::/129", "/8"}) {
        EXPECT_FALSE(IpPrefix::parse(text).has_value()) << text;
    }
}

TEST(AddressPort, NeedsBracketsAroundIpv6Only) {
    EXPECT_EQ(AddressPort::parse("[::]:9002")->port, 9002);
    EXPECT_EQ(AddressPort::parse("10.1.2.3:80")->address.text(), "10.1.2.3");
    for (const std::string_view text :
         {"fd00::1:9002", "[10.1.2.3]:80", ":80", "10.1.2.3", "10.1.2.3:", "10.1.2.3:65536",
          "localhost:80", "[::1]", "[]:80", "["}) {
        EXPECT_FALSE(AddressPort::parse(text).has_value()) << text;
    }
}

}  // namespace
}  // namespace runtime::inline base
