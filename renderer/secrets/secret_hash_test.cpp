#include "renderer/secrets/secret_hash.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace renderer {
namespace {

std::string hex(const Sha256& hash) {
    std::string out;
    for (const std::uint8_t byte : hash) {
        out += fmt::format("{:02x}", byte);
    }
    return out;
}

// RFC 4231, test cases 1, 2 and 6.
TEST(SecretHash, IsHmac) {
    EXPECT_EQ(hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    EXPECT_EQ(hex(hmac_sha256(std::string(131, '\xaa'),
                              "Test Using Larger Than Block-Size Key - Hash Key First")),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

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
}  // namespace renderer
