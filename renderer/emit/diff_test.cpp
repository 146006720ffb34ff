#include "renderer/emit/diff.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace renderer::emit {
namespace {

std::string numbered(int from, int to) {
    std::string out;
    for (int i = from; i < to; ++i) {
        out += fmt::format("{}\n", i);
    }
    return out;
}

TEST(UnifiedDiff, IsEmptyForEqualTexts) {
    EXPECT_EQ(unified_diff("a", "b", "x\n", "x\n"), "");
}

TEST(UnifiedDiff, ShowsThreeLinesOfContext) {
    const std::string before = numbered(0, 10);
    std::string after = before;
    after.replace(after.find("5\n"), 2, "five\n");
    EXPECT_EQ(unified_diff("old", "new", before, after),
              "--- old\n+++ new\n@@ -3,7 +3,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, SeparatesDistantChanges) {
    const std::string before = numbered(0, 30);
    const std::string after = "new\n" + numbered(0, 29);
    EXPECT_EQ(unified_diff("old", "new", before, after),
              "--- old\n+++ new\n@@ -1,3 +1,4 @@\n+new\n 0\n 1\n 2\n"
              "@@ -27,4 +28,3 @@\n 26\n 27\n 28\n-29\n");
}

TEST(UnifiedDiff, MergesNeighbouringChanges) {
    EXPECT_EQ(unified_diff("o", "n", "a\nb\nc\nd\n", "A\nb\nc\nD\n"),
              "--- o\n+++ n\n@@ -1,4 +1,4 @@\n-a\n+A\n b\n c\n-d\n+D\n");
}

TEST(UnifiedDiff, ShowsAddedAndRemovedFiles) {
    EXPECT_EQ(unified_diff("/dev/null", "n", "", "a\n"),
              "--- /dev/null\n+++ n\n@@ -0,0 +1 @@\n+a\n");
    EXPECT_EQ(unified_diff("o", "/dev/null", "a\n", ""),
              "--- o\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
}

TEST(UnifiedDiff, SaysWhenTheFinalNewlineIsMissing) {
    EXPECT_EQ(unified_diff("o", "n", "a", "a\n"),
              "--- o\n+++ n\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

// Applies a diff to the old text, as an independent check.
std::string patched(const std::string& old_text, const std::string& diff) {
    std::string out;
    std::size_t old_at = 0;
    std::size_t at = diff.find("@@");
    const auto old_line = [&] { return old_text.find('\n', old_at) + 1 - old_at; };
    int line = 1;
    while (at < diff.size()) {
        const std::size_t end = diff.find('\n', at) + 1;
        const std::string text = diff.substr(at, end - at);
        at = end;
        if (text.starts_with("@@")) {
            for (const int first = std::stoi(text.substr(4)); line < first; ++line) {
                out += old_text.substr(old_at, old_line());
                old_at += old_line();
            }
        } else if (text[0] == '+') {
            out += text.substr(1);
        } else {
            EXPECT_EQ(text.substr(1), old_text.substr(old_at, old_line()));
            out += text[0] == ' ' ? text.substr(1) : "";
            old_at += old_line();
            ++line;
        }
    }
    return out + old_text.substr(old_at);
}

TEST(UnifiedDiff, TurnsTheOldTextIntoTheNewOne) {
    unsigned seed = 1;
    const auto next = [&seed] { return seed = seed * 1103515245U + 12345U, (seed >> 16U) % 10U; };
    for (int round = 0; round < 300; ++round) {
        std::string before;
        std::string after;
        for (int i = 0; i < 40; ++i) {
            const std::string line = fmt::format("{}\n", next());
            before += next() < 8 ? line : "";
            after += next() < 8 ? line : fmt::format("new {}\n", next());
        }
        // This simple patch program does not support a hunk that begins at line 0 of an empty side.
        before.insert(0, "first\n");
        after.insert(0, "first\n");
        const std::string diff = unified_diff("o", "n", before, after);
        ASSERT_EQ(diff.empty() ? before : patched(before, diff), after) << diff;
    }
}

TEST(UnifiedDiff, BoundsTheWorkForTextsThatHaveNothingInCommon) {
    const std::string before = numbered(0, 20000);
    const std::string after = numbered(20000, 40000);
    const std::string diff = unified_diff("o", "n", before, after);
    EXPECT_TRUE(diff.starts_with("--- o\n+++ n\n@@ -1,20000 +1,20000 @@\n-0\n-1\n"));
    EXPECT_TRUE(diff.ends_with("+39999\n"));
}

}  // namespace
}  // namespace renderer::emit
