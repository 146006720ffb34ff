#include "renderer/repo/fetch/chart_address.h"

#include <gtest/gtest.h>

namespace renderer::repo {
namespace {

constexpr const char* kDigest =
    "@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

TEST(ChartAddress, IsFetchedFrom) {
    const ChartAddress allowed[] = {
        {.repository = "https://charts.example.com", .chart = "web", .version = ">=1.2, <2 || 3.x"},
        {.repository = "https://example.com:8443/charts/",
         .chart = "acme/web",
         .version = "v1.2.3+b.1"},
        {.repository = "https://[2606:4700::1111]/charts", .chart = "web"},
        {.repository = "oci://ghcr.io/acme/", .chart = "web", .version = "^1"},
        {.repository = "oci://ghcr.io/acme/web"},
        {.chart = std::string("oci://ghcr.io/acme/web") + kDigest},
        {.chart = "https://example.com/web-1.2.0.tgz"},
    };
    for (const ChartAddress& address : allowed) {
        EXPECT_EQ(refusal_of(address, {}), "") << address.url();
    }
    EXPECT_EQ(allowed[1].url(), "https://example.com:8443/charts");
    EXPECT_EQ(allowed[3].url(), "oci://ghcr.io/acme/web");
    EXPECT_EQ(allowed[4].url(), "oci://ghcr.io/acme/web");
    EXPECT_EQ(allowed[6].url(), "https://example.com/web-1.2.0.tgz");
}

TEST(ChartAddress, IsRefusedWithoutBeingShown) {
    const struct {
        ChartAddress address;
        const char* reason;
    } cases[] = {
        {{.repository = "https://me:t0ken@example.com", .chart = "web"},
         "an address with a user or a password in it"},
        {{.repository = "https://t0ken@example.com", .chart = "web"},
         "an address with a user or a password in it"},
        {{.repository = "https://me:t0/ken@example.com", .chart = "web"},
         "an address with a user or a password in it"},
        {{.repository = "oci://example.com/web@t0ken"},
         "an address with a user or a password in it"},
        {{.repository = std::string("https://example.com/web") + kDigest},
         "an address with a user or a password in it"},
        {{.repository = "https://example.com?t0ken", .chart = "web"},
         "an address with a query, which may hold a credential"},
        {{.repository = "https://example.com/#t0ken", .chart = "web"},
         "an address with a query, which may hold a credential"},
        {{.repository = "oci://example.com", .chart = "web?t0ken"},
         "an address with a query, which may hold a credential"},
        {{.repository = "http://example.com/t0ken", .chart = "web"},
         "http, which is not encrypted"},
        {{.repository = "file:///t0ken", .chart = "web"}, "an address of file"},
        {{.repository = "ssh://example.com/t0ken", .chart = "web"}, "an address of ssh"},
        {{.repository = "git+https://example.com/t0ken", .chart = "web"},
         "an address of git+https"},
        {{.chart = "t0ken"}, "an address without a scheme"},
        {{.repository = "https://${t0ken}", .chart = "web"}, "an address with invalid characters"},
        {{.repository = "https://example.com/t0ken\n", .chart = "web"},
         "an address with invalid characters"},
        {{.repository = "https:///t0ken", .chart = "web"}, "an address without a host"},
        {{.repository = "https://example.com:x/t0ken", .chart = "web"},
         "an address without a host"},
        {{.repository = "https://localhost:5000/t0ken", .chart = "web"},
         "host localhost, which is this machine"},
        {{.repository = "oci://[::1]/t0ken", .chart = "web"}, "host ::1, which is this machine"},
        {{.repository = "https://example.com", .chart = "https://t0ken"},
         "a chart name with invalid characters"},
        {{.repository = "https://example.com", .chart = "../t0ken"},
         "a chart name with invalid characters"},
        {{.repository = "https://example.com", .chart = "web", .version = "$(t0ken)"},
         "a version with invalid characters"},
        {{}, "no address"},
        {{.repository = "t0ken", .unknown = "a path in a GitRepository"},
         "a path in a GitRepository"},
    };
    for (const auto& [address, reason] : cases) {
        EXPECT_EQ(refusal_of(address, {}), reason) << address.url();
    }
}

TEST(ChartAddress, IsOfAListedHost) {
    const ChartAddress address{.repository = "https://Example.com:8443/x", .chart = "web"};
    EXPECT_EQ(refusal_of(address, {"example.com"}), "");
    EXPECT_EQ(refusal_of(address, {"ghcr.io"}),
              "host Example.com, which --allow-network does not list");
}

}  // namespace
}  // namespace renderer::repo
