#include "renderer/contract/config_secret.h"

#include <gtest/gtest.h>

namespace renderer::inline contract {
namespace {

TEST(ConfigSecret, NamesDataByTheCapabilityVersion) {
    EXPECT_EQ(config_datum(107), "cap-107.hujson");
    for (const int capability : {0, 95, 148}) {
        EXPECT_EQ(config_capability(config_datum(capability)), capability);
    }
    for (const char* other : {"", "cap-", "cap-.hujson", "cap-1", "cap-x.hujson", "cap-1x.hujson",
                              "cap--1.hujson", "cap.hujson", "serve-config", "config.hujson"}) {
        EXPECT_FALSE(config_capability(other).has_value()) << other;
    }
}

}  // namespace
}  // namespace renderer::inline contract
