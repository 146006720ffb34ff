#include "renderer/base/sha256.h"

#include <gtest/gtest.h>

namespace renderer {
namespace {

// FIPS 180-4 examples: no block, one block, two blocks.
TEST(Sha256, MatchesTheExamplesOfTheStandard) {
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256_hex("abc"),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, StartsWithTheFirstByte) {
    EXPECT_EQ(sha256("abc")[0], 0xba);
    EXPECT_EQ(sha256("abc")[31], 0xad);
}

}  // namespace
}  // namespace renderer
