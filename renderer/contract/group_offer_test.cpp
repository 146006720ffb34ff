#include "renderer/contract/group_offer.h"

#include <gtest/gtest.h>

namespace renderer::inline contract {
namespace {

TEST(GroupOffer, IsReadAsItWasWritten) {
    GroupOffer offer{.name = "svc:web",
                     .parent = "Ingress/shop/web",
                     .ports = {"tcp:443", "tcp:80"},
                     .tags = {"tag:k8s"},
                     .certificate = "web.tail1a2b3.ts.net"};
    EXPECT_EQ(read_offer(write_offer(offer)), offer);
    EXPECT_FALSE(offer.is_exclusive());
    offer.certificate.clear();
    offer.parent = "ProxyGroup/api";
    EXPECT_EQ(write_offer(offer), R"({"name":"svc:web","parent":"ProxyGroup/api",)"
                                  R"("ports":["tcp:443","tcp:80"],"tags":["tag:k8s"]})");
    EXPECT_EQ(read_offer(write_offer(offer)), offer);
    EXPECT_TRUE(offer.is_exclusive());
}

TEST(GroupOffer, IsWhole) {
    for (const char* text : {"", "[]", "{}", R"({"name":"svc:a","parent":"P","ports":["p"]})",
                             R"({"name":"svc:a","parent":"P","tags":["tag:a"]})",
                             R"({"name":"svc:a","ports":["p"],"tags":["tag:a"]})"}) {
        EXPECT_FALSE(read_offer(text).has_value()) << text;
    }
}

}  // namespace
}  // namespace renderer::inline contract
