#include "renderer/plan/object_names.h"

#include <gtest/gtest.h>

namespace renderer::plan {
namespace {

TEST(ProxyName, IsAFunctionOfKindNamespaceAndName) {
    EXPECT_EQ(proxy_name("Service", "shop", "status"), "ts-status-dj9zn");
    EXPECT_EQ(proxy_name("Service", "shop", "status"), proxy_name("Service", "shop", "status"));
    EXPECT_NE(proxy_name("Service", "shop", "status"), proxy_name("Ingress", "shop", "status"));
    EXPECT_NE(proxy_name("Service", "shop", "status"), proxy_name("Service", "shop2", "status"));
}

TEST(ProxyName, KeepsFortyThreeBytesOfTheParent) {
    const auto length = [](std::size_t parent) {
        return proxy_name("Service", "shop", std::string(parent, 'a')).size();
    };
    EXPECT_EQ(length(1), 10U);
    EXPECT_EQ(length(43), 52U);
    EXPECT_EQ(length(44), 52U);
    EXPECT_EQ(length(253), 52U);
    // Nothing is trimmed: if the name is cut behind a dash, there are two dashes.
    const std::string dash = std::string(42, 'a') + "-tail";
    EXPECT_TRUE(proxy_name("Service", "x", dash).starts_with("ts-" + std::string(42, 'a') + "--"));
    // The part that is cut off still changes the hash.
    EXPECT_NE(proxy_name("Service", "x", std::string(43, 'a') + "b"),
              proxy_name("Service", "x", std::string(43, 'a') + "c"));
}

TEST(ProxyName, UsesTheApiServersAlphabet) {
    for (int i = 0; i < 200; ++i) {
        const std::string name = proxy_name("Service", "shop", std::to_string(i));
        EXPECT_EQ(name.substr(name.size() - 5).find_first_not_of("bcdfghjklmnpqrstvwxz2456789"),
                  std::string::npos)
            << name;
    }
}

}  // namespace
}  // namespace renderer::plan
