#include "renderer/core/base64.h"

#include <gtest/gtest.h>

namespace renderer {
namespace {

// RFC 4648 section 10, and bytes that need the whole alphabet.
TEST(EncodeBase64, MatchesTheVectorsOfTheRfc) {
    EXPECT_EQ(encode_base64(""), "");
    EXPECT_EQ(encode_base64("f"), "Zg==");
    EXPECT_EQ(encode_base64("fo"), "Zm8=");
    EXPECT_EQ(encode_base64("foo"), "Zm9v");
    EXPECT_EQ(encode_base64("foob"), "Zm9vYg==");
    EXPECT_EQ(encode_base64("fooba"), "Zm9vYmE=");
    EXPECT_EQ(encode_base64("foobar"), "Zm9vYmFy");
    EXPECT_EQ(encode_base64("\xfb\xff\xfe"), "+//+");
}

}  // namespace
}  // namespace renderer
