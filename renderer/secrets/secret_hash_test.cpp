#include "renderer/secrets/secret_hash.h"

#include <gtest/gtest.h>

#include <string>

namespace renderer::secrets {
namespace {

TEST(SecretHash, DependsOnTheKey) {
    const SecretHash one("0123456789abcdef");
    const SecretHash two("fedcba9876543210");
    EXPECT_EQ(one("x"), one("x"));
    EXPECT_NE(one("x"), one("y"));
    EXPECT_NE(one("x"), two("x"));
}

TEST(SecretHash, HasAnotherKeyEachTime) {
    EXPECT_EQ(random_key().size(), 32U);
    EXPECT_NE(random_key(), random_key());
}

}  // namespace
}  // namespace renderer::secrets
