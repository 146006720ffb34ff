#include "renderer/contract/tailnet_config.h"

#include <gtest/gtest.h>

namespace renderer::inline contract {
namespace {

TEST(TailnetConfig, IsReadAsItWasWritten) {
    const auto read =
        decode_tailnet(tailnet_map("tailscale", "lab", "https://login.lab.test/", "lab-oauth"));
    EXPECT_EQ(read, (TailnetConfig{.name = "lab",
                                   .uid = "",
                                   .contract = "v1",
                                   .login_url = "https://login.lab.test",
                                   .secret_name = "lab-oauth"}));
}

TEST(TailnetConfig, IsNoOtherConfigMap) {
    Value other = tailnet_map("tailscale", "lab", "", "");
    other.find("metadata")->put("name", "lab");
    EXPECT_FALSE(decode_tailnet(other).has_value());
}

}  // namespace
}  // namespace renderer::inline contract
