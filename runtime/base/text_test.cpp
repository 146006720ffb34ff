#include "runtime/base/text.h"

#include <gtest/gtest.h>

#include <utility>

namespace runtime::inline base {
namespace {

static_assert(sizeof(Text) == sizeof(void*));

TEST(Text, IsWhatItWasMadeOf) {
    const std::string with_zero("a\0b", 3);
    EXPECT_EQ(Text(with_zero), with_zero);
    EXPECT_EQ(Text("one").view(), "one");
    EXPECT_EQ(std::string(Text(std::string(5000, 'x'))), std::string(5000, 'x'));
    EXPECT_EQ(fmt::format("{:>4}", Text("one")), " one");
    EXPECT_NE(Text("one"), Text("two"));
    EXPECT_NE(Text("one"), "on");
}

TEST(Text, IsOrderedAsItsBytes) {
    EXPECT_LT(Text("a"), Text("b"));
    EXPECT_LT(Text(), "a");
    EXPECT_GT(Text("ab"), std::string("a"));
    EXPECT_LT(Text("a"), "\xc3\xa9");
}

TEST(Text, MayBeEmpty) {
    const Text text("");
    EXPECT_TRUE(text.empty());
    EXPECT_EQ(text, Text());
    EXPECT_EQ(text, std::string());
    EXPECT_FALSE(Text("x").empty());
}

TEST(Text, IsCopiedAndMoved) {
    Text text("one");
    const Text copy = text;
    const Text& itself = text;
    text = itself;
    EXPECT_EQ(text, "one");
    const Text moved = std::move(text);
    EXPECT_EQ(moved, "one");
    text = "two";
    EXPECT_EQ(copy, "one");
    EXPECT_EQ(text, "two");
}

}  // namespace
}  // namespace runtime::inline base
