#include "renderer/base/pattern.h"

#include <gtest/gtest.h>

#include <string>

namespace renderer::inline base {
namespace {

bool matches(std::string_view pattern, std::string_view text) {
    const std::optional<Pattern> parsed = Pattern::parse(pattern);
    EXPECT_TRUE(parsed.has_value()) << pattern;
    return parsed && parsed->matches(text);
}

TEST(Pattern, FindsWithoutAnchors) {
    EXPECT_TRUE(matches("b+c", "aabbcc"));
    EXPECT_FALSE(matches("b+c", "aac"));
    EXPECT_TRUE(matches("", "anything"));
}

TEST(Pattern, HoldsAnchors) {
    EXPECT_TRUE(matches("^ab$", "ab"));
    EXPECT_FALSE(matches("^ab$", "xab"));
    EXPECT_FALSE(matches("^ab$", "abx"));
    EXPECT_FALSE(matches("^ab$", "ab\n"));
    EXPECT_TRUE(matches("^$", ""));
    EXPECT_TRUE(matches("a|^b$", "b"));
}

TEST(Pattern, KnowsClasses) {
    EXPECT_TRUE(matches("^[-._a-zA-Z][-._a-zA-Z0-9]*$", "-A.9"));
    EXPECT_FALSE(matches("^[-._a-zA-Z][-._a-zA-Z0-9]*$", "1BAD"));
    EXPECT_TRUE(matches("^[a-z0-9-.]$", "-"));
    EXPECT_TRUE(matches("^[^a-z]$", "A"));
    EXPECT_FALSE(matches("^[^a-z]$", "b"));
    EXPECT_TRUE(matches("^.$", "x"));
    EXPECT_FALSE(matches("^.$", "\n"));
}

TEST(Pattern, Counts) {
    const std::string name = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$";
    EXPECT_TRUE(matches(name, "a"));
    EXPECT_TRUE(matches(name, std::string(63, 'a')));
    EXPECT_FALSE(matches(name, std::string(64, 'a')));
    EXPECT_FALSE(matches(name, "a-"));
    EXPECT_TRUE(matches("^a{2}$", "aa"));
    EXPECT_FALSE(matches("^a{2}$", "aaa"));
    EXPECT_TRUE(matches("^a{2,}$", "aaaa"));
    EXPECT_FALSE(matches("^a{2,}$", "a"));
}

TEST(Pattern, KnowsGroupsAndEscapes) {
    const std::string amount =
        "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+("
        "\\.[0-9]*)?)|(\\.[0-9]+))))?$";
    for (const std::string_view good : {"1", "+1.5Gi", ".5", "1e3", "100m", "2E-1"}) {
        EXPECT_TRUE(matches(amount, good)) << good;
    }
    for (const std::string_view bad : {"", "1.5.5", "Gi", "1 Gi", "1GiB"}) {
        EXPECT_FALSE(matches(amount, bad)) << bad;
    }
}

TEST(Pattern, TakesLinearTime) {
    EXPECT_FALSE(matches("^(a|a)*(a*)*b$", std::string(20'000, 'a')));
}

TEST(Pattern, KnowsWhatGoKnows) {
    EXPECT_TRUE(matches("^\\d+$", "12"));
    EXPECT_TRUE(matches("^(?i)abc$", "aBC"));
    EXPECT_TRUE(matches("^.$", "ä"));
    EXPECT_TRUE(matches("^a{2$", "a{2"));
}

TEST(Pattern, RefusesWhatGoRefuses) {
    for (const std::string_view pattern :
         {"(a", "a)", "[a", "[z-a]", "a{3,2}", "*a", "a\\", "a(?=b)", "(a)\\1"}) {
        EXPECT_FALSE(Pattern::parse(pattern).has_value()) << pattern;
    }
}

TEST(Pattern, FindsGroups) {
    const auto pattern = Pattern::parse("(a)(b)?|^c");
    const auto found = pattern->find("cxa", 0);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].end, 1U);
    EXPECT_EQ(found[1].begin, std::string_view::npos);
    const auto second = pattern->find("cxa", 1);
    ASSERT_EQ(second.size(), 3U);
    EXPECT_EQ(second[1].begin, 2U);
    EXPECT_EQ(second[2].end, std::string_view::npos);
    EXPECT_TRUE(pattern->find("xc", 1).empty());  // nothing matches from there on
    EXPECT_EQ(Pattern::parse("")->find("", 0).size(), 1U);
}

}  // namespace
}  // namespace renderer::inline base
