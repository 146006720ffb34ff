#include "renderer/base/wrap.h"

#include <gtest/gtest.h>

namespace renderer::inline base {
namespace {

TEST(Wrap, BreaksAtSpaces) {
    EXPECT_EQ(wrapped("one two three\nfour five\n", 8), "one two\nthree\nfour\nfive\n");
    EXPECT_EQ(wrapped("  hint: one two three", 14, 4), "  hint: one\n    two three");
    EXPECT_EQ(wrapped("eight it", 8), "eight it");
    EXPECT_EQ(wrapped("a   b c", 5), "a   b\nc");
}

TEST(Wrap, KeepsWordsWholeAndCountsCharacters) {
    EXPECT_EQ(wrapped("a registry.example.com/x b", 8, 2), "a\n  registry.example.com/x\n  b");
    EXPECT_EQ(wrapped("\xC3\xA4\xC3\xB6\xC3\xBC \xC3\x9F", 5), "\xC3\xA4\xC3\xB6\xC3\xBC \xC3\x9F");
    EXPECT_EQ(wrapped("\x1b[1mone\x1b[0m two", 7), "\x1b[1mone\x1b[0m two");
}

TEST(Wrap, ChangesNothingWithoutAWidth) {
    EXPECT_EQ(wrapped("one two\n\nthree", 0), "one two\n\nthree");
    EXPECT_EQ(wrapped("\n  one\n\n", 40), "\n  one\n\n");
}

}  // namespace
}  // namespace renderer::inline base
