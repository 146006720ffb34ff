#include "runtime/proxy/serve_config.h"

#include <gtest/gtest.h>

namespace runtime::proxy {
namespace {

TEST(ServeConfig, HasTheDomainFilledIn) {
    const ServeConfig config = std::move(*read_serve_config(
        R"({"TCP":{"443":{"HTTPS":true}},"Web":{"${TS_CERT_DOMAIN}:443":{}},"AllowFunnel":{"${TS_CERT_DOMAIN}:443":true}})",
        "me.t.ts.net"));
    EXPECT_EQ(
        config.text,
        R"({"TCP":{"443":{"HTTPS":true}},"Web":{"me.t.ts.net:443":{}},"AllowFunnel":{"me.t.ts.net:443":true}})");
    EXPECT_TRUE(config.has_https);
    EXPECT_TRUE(config.services.empty() && config.domains.empty());
}

TEST(ServeConfig, NamesServicesAndTheCertificatesThatTheyNeed) {
    const ServeConfig config = std::move(*read_serve_config(
        R"({"TCP":{"80":{"HTTP":true}},"Services":{"svc:web":{"TCP":{"443":{"HTTPS":true}},)"
        R"("Web":{"web.t.ts.net:443":{},"web.t.ts.net:80":{}}},)"
        R"("svc:api":{"TCP":{"443":{"TerminateTLS":"api.t.ts.net"}}}}})",
        "x"));
    EXPECT_FALSE(config.has_https);
    EXPECT_EQ(config.services, (std::vector<std::string>{"svc:api", "svc:web"}));
    EXPECT_EQ(config.domains, (std::vector<std::string>{"api.t.ts.net", "web.t.ts.net"}));
}

TEST(ServeConfig, IsJson) {
    for (const std::string_view text : {"{", "[]", "null"}) {
        EXPECT_FALSE(read_serve_config(text, "x").has_value()) << text;
    }
}

}  // namespace
}  // namespace runtime::proxy
