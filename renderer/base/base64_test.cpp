#include "renderer/base/base64.h"

#include <gtest/gtest.h>

namespace renderer::inline base {
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

TEST(DecodeBase64, IsTheInverse) {
    for (const std::string text : {"", "f", "fo", "foo", "foobar", "\xfb\xff\xfe"}) {
        EXPECT_EQ(decode_base64(encode_base64(text)), text);
    }
    EXPECT_EQ(decode_base64("Zm9v\nYmFy\n"), "foobar");
}

TEST(DecodeBase64, RefusesInvalidText) {
    for (const std::string text :
         {"Zg", "Zg=", "Z===", "Zg==Zg==", "Zm9v!mFy", "=Zg=", "YW=j", "Y Q=", "_-_-", "hello!"}) {
        EXPECT_FALSE(decode_base64(text).has_value()) << text;
    }
}

}  // namespace
}  // namespace renderer::inline base
