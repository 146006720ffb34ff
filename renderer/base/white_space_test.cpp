#include "renderer/base/white_space.h"

#include <gtest/gtest.h>

namespace renderer::inline base {
namespace {

TEST(WhiteSpace, IsTakenOffTheEnds) {
    EXPECT_EQ(trim_front("\u00a0\u2003 a b\u3000"), "a b\u3000");
    EXPECT_EQ(trim("\u0085\t a b\u3000\r\n"), "a b");
    EXPECT_EQ(trim(" \u2028 "), "");
    EXPECT_EQ(trim("\u200ba\u200b"), "\u200ba\u200b") << "a zero width space is not white space";
    EXPECT_EQ(trim("\x80 a \x80"), "\x80 a \x80") << "not UTF-8";
}

}  // namespace
}  // namespace renderer::inline base
