// Names that programs derive, and constants that are parts of each other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "renderer/contract/auth_secret.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/environment.h"
#include "renderer/contract/group_config.h"
#include "renderer/contract/ports.h"
#include "renderer/contract/state_secret.h"

namespace renderer::inline contract {
namespace {

TEST(Names, AreThoseOfTheOperator) {
    EXPECT_EQ(config_secret_name("web-0"), "web-0-config");
    EXPECT_EQ(auth_secret_name("web-0"), "web-0-auth");
    EXPECT_EQ(auth_key_file("web-0"), "/etc/tsauth/web-0/authkey");
    EXPECT_EQ(egress_config_name("out"), "out-egress-config");
    EXPECT_EQ(ingress_config_name("in"), "in-ingress-config");
    EXPECT_EQ(group_config_file(kEgressDatum), "/etc/proxies/egress-services");
}

TEST(Names, OfPartsAreThoseOfTheParts) {
    const std::string pod(variable::kPodNameValue);
    EXPECT_EQ(pod, "$(" + std::string(variable::kPodName) + ")");
    EXPECT_EQ(kConfigFolderOfPod, std::string(kConfigFolder) + "/" + pod);
    EXPECT_EQ(kServeFileOfPod,
              std::string(kServeFolder) + "/" + pod + "/" + std::string(kServeDatum));
    EXPECT_EQ(kStateOfPod, "kube:" + pod);
    EXPECT_EQ(port::kLocalText, fmt::format("{}", port::kLocal));
    EXPECT_TRUE(port::kLocalAddress.ends_with(port::kLocalText));
    EXPECT_TRUE(port::kAnyLocalAddress.ends_with(port::kLocalText));
    EXPECT_TRUE(port::kDebugAddress.ends_with(fmt::format("{}", port::kDebug)));
}

}  // namespace
}  // namespace renderer::inline contract
