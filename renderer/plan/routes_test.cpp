#include "renderer/plan/routes.h"

#include <gtest/gtest.h>

namespace renderer::plan {
namespace {

std::string spelled(std::string_view text) {
    const std::optional<Route> route = parse_route(text);
    return route ? route_text(*route) : "none";
}

TEST(Routes, AreSpelledAsGoDoes) {
    EXPECT_EQ(spelled("10.40.0.0/14"), "10.40.0.0/14");
    EXPECT_EQ(spelled("0.0.0.0/0"), "0.0.0.0/0");
    EXPECT_EQ(spelled("::/0"), "::/0");
    EXPECT_EQ(spelled("FD00:0:0:0::/48"), "fd00::/48");
    EXPECT_EQ(spelled("2001:db8:0:0:1:0:0:0/128"), "2001:db8:0:0:1::/128");
    EXPECT_EQ(spelled("::ffff:1.2.3.4/128"), "::ffff:1.2.3.4/128");
    EXPECT_EQ(spelled("1:0:2:3:4:5:6:7/128"), "1:0:2:3:4:5:6:7/128");
}

TEST(Routes, AreReadStrictly) {
    for (const std::string_view text : {"",
                                        "/",
                                        "10.0.0.0",
                                        "10.0.0.0/",
                                        "10.0.0.0/33",
                                        "10.0.0.0/-1",
                                        "10.0.0.0/+8",
                                        "10.0.0.0/08",
                                        "10.00.0.0/8",
                                        "10.0.0/8",
                                        "10.0.0.0.0/8",
                                        "256.0.0.0/8",
                                        " 10.0.0.0/8",
                                        "10.0.0.0/8 ",
                                        "fd00::/129",
                                        "fd00:/8",
                                        "fd00:::/8",
                                        "fe80::1%eth0/64",
                                        "1:2:3:4:5:6:7/8",
                                        "12345::/16",
                                        "::ffff:1.2.3/120",
                                        "10.0.0.0/8/8"}) {
        EXPECT_EQ(spelled(text), "none") << text;
    }
}

TEST(Routes, AreMaskedToTheirPrefix) {
    EXPECT_EQ(route_text(masked(*parse_route("10.43.7.1/14"))), "10.40.0.0/14");
    EXPECT_EQ(route_text(masked(*parse_route("10.43.7.1/0"))), "0.0.0.0/0");
    EXPECT_EQ(route_text(masked(*parse_route("10.43.7.1/32"))), "10.43.7.1/32");
    EXPECT_EQ(route_text(masked(*parse_route("fd00:1:2:3::4/33"))), "fd00:1::/33");
}

TEST(Routes, AreSortedByLengthFamilyAndAddress) {
    std::vector<Route> routes;
    for (const std::string_view text : {"192.168.1.0/24", "fd00::/8", "10.0.0.0/8", "::/0",
                                        "192.168.0.0/24", "10.0.0.0/8", "0.0.0.0/0"}) {
        routes.push_back(*parse_route(text));
    }
    std::string sorted;
    for (const Route& route : sorted_routes(routes)) {
        sorted += route_text(route) + " ";
    }
    EXPECT_EQ(sorted, "0.0.0.0/0 ::/0 10.0.0.0/8 fd00::/8 192.168.0.0/24 192.168.1.0/24 ");
}

TEST(Routes, OfSitesNeedTheirNumberAndAddress) {
    EXPECT_NE(site_error(*parse_route("fd7a:115c:a1e0:b1a::/64")), "");
    EXPECT_EQ(site_error(*parse_route("fd7a:115c:a1e0:b1a:0:7:a01:100/120")), "");
    EXPECT_EQ(site_error(*parse_route("fd00::/64")), "");
}

TEST(Routes, OfSitesMayBeLocalAddresses) {
    const auto local = [](std::string_view text) {
        return local_site_addresses(*parse_route(text));
    };
    EXPECT_EQ(local("fd7a:115c:a1e0:b1a:0:7:7f00:1/128"), "loopback");
    EXPECT_EQ(local("fd7a:115c:a1e0:b1a:0:7:a9fe:0/112"), "link-local");
    EXPECT_EQ(local("fd7a:115c:a1e0:b1a:0:7:e000:0/100"), "multicast");
    EXPECT_EQ(local("fd7a:115c:a1e0:b1a:0:7:6440:0/106"), "of the tailnet");
    EXPECT_EQ(local("fd7a:115c:a1e0:b1a:0:7:a01:100/120"), "");
    EXPECT_EQ(local("fd7a:115c:a1e0:b1a:0:7::/96"), "");
    EXPECT_EQ(local("127.0.0.0/8"), "");
}

}  // namespace
}  // namespace renderer::plan
