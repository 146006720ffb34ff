#include "renderer/schema/formats.h"

#include <gtest/gtest.h>

namespace renderer::schema {
namespace {

TEST(Formats, KnowsTimes) {
    for (const std::string_view good :
         {"2026-01-02T15:04:05Z", "2026-01-02T15:04:05.123456789+01:00",
          "2024-02-29T00:00:00-05:30"}) {
        EXPECT_TRUE(is_rfc3339(good)) << good;
    }
    for (const std::string_view bad :
         {"", "2026-01-02", "2026-01-02 15:04:05Z", "2026-01-02T15:04:05", "2026-13-02T15:04:05Z",
          "2026-02-29T00:00:00Z", "2026-01-02T25:04:05Z", "2026-01-02T15:04:05.Z",
          "2026-01-02T15:04:05Zx"}) {
        EXPECT_FALSE(is_rfc3339(bad)) << bad;
    }
}

TEST(Formats, KnowsCidrs) {
    for (const std::string_view good :
         {"10.0.0.0/8", "10.1.2.3/8", "fd00::/8", "::/0", "1.2.3.4/32"}) {
        EXPECT_TRUE(is_cidr(good)) << good;
    }
    for (const std::string_view bad : {"", "10.0.0.0", "10.0.0/8", "10.0.0.0/33", "fd00::/129",
                                       "10.0.0.0/", "10.0.0.0/-1", "010.0.0.0/8", "x/8"}) {
        EXPECT_FALSE(is_cidr(bad)) << bad;
    }
}

}  // namespace
}  // namespace renderer::schema
