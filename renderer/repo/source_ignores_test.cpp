#include "renderer/repo/source_ignores.h"

#include <gtest/gtest.h>

namespace renderer::repo {
namespace {

struct IgnoreRow {
    const char* patterns;
    const char* path;
    bool is_left_out;
};

void expect_rows(std::initializer_list<IgnoreRow> rows) {
    for (const IgnoreRow& row : rows) {
        SourceIgnores ignores;
        ignores.add(row.patterns, "");
        EXPECT_EQ(ignores.leaves_out(row.path, false), row.is_left_out)
            << row.patterns << " and " << row.path;
    }
}

TEST(SourceIgnores, NameAnywhereAndAllBelow) {
    expect_rows({{"web.yaml", "web.yaml", true},
                 {"web.yaml", "apps/web.yaml", true},
                 {"old", "apps/old/a/web.yaml", true},
                 {"old", "apps/older.yaml", false},
                 {"*.md", "docs/a.md", true},
                 {"w?b.yaml", "apps/wab.yaml", true},
                 {"w?b.yaml", "apps/wb.yaml", false},
                 {"v[0-9].yaml", "v1.yaml", true},
                 {"v[0-9].yaml", "vx.yaml", false},
                 {"v[^0-9].yaml", "vx.yaml", true},
                 {"v[!0-9].yaml", "vx.yaml", false}});
}

TEST(SourceIgnores, SlashTiesToTheTop) {
    expect_rows({{"/apps", "apps/web.yaml", true},
                 {"/apps", "old/apps/web.yaml", false},
                 {"apps/old", "apps/old/web.yaml", true},
                 {"apps/old", "more/apps/old/web.yaml", false},
                 {"apps/*.yaml", "apps/web.yaml", true},
                 {"apps/*.yaml", "apps/a/web.yaml", false},
                 {"apps/old/more", "apps/old", false}});
}

TEST(SourceIgnores, AnyDepth) {
    expect_rows({{"**/old", "a/b/old/web.yaml", true},
                 {"**/old", "old", true},
                 {"a/**/old", "a/old", true},
                 {"a/**/old", "a/b/c/old", true},
                 {"a/**/old", "a/b/c/older", false},
                 {"a/**", "a/b/web.yaml", true},
                 {"a/**", "b/web.yaml", false},
                 {"a/x**", "a/xy", false},
                 {"**/a/c", "a/b/a/c", false}});  // `**` stops at the first `a`
}

TEST(SourceIgnores, SlashAtTheEndIsForDirectories) {
    expect_rows({{"build/", "build/a.yaml", true},
                 {"build/", "apps/build/a.yaml", true},
                 {"build/", "apps/build", false},
                 {"/apps/", "apps/web.yaml", true},
                 {"/apps/", "apps", false}});
    SourceIgnores ignores;
    ignores.add("build/\n/apps/", "");
    EXPECT_TRUE(ignores.leaves_out("x/build", true));
    EXPECT_TRUE(ignores.leaves_out("apps", true));
}

TEST(SourceIgnores, LastOneWinsAlsoBelowWhatIsLeftOut) {
    expect_rows({{"/*\n!/kubernetes", "kubernetes/apps/web.yaml", false},
                 {"/*\n!/kubernetes", "readme.yaml", true},
                 {"/*\n!/kubernetes/", "kubernetes/apps/web.yaml", false},
                 {"/*\n!/kubernetes\n/kubernetes/old", "kubernetes/old/web.yaml", true},
                 {"apps\n!apps/keep.yaml", "apps/keep.yaml", false},
                 {"!apps/keep.yaml\napps", "apps/keep.yaml", true},
                 {"*.yaml\n!web.yaml", "apps/web.yaml", false}});
}

TEST(SourceIgnores, CommentsSpacesAndEscapes) {
    expect_rows({{"# web.yaml", "web.yaml", false},
                 {"\\#a", "#a", true},
                 {"\\!a", "!a", true},
                 {"web.yaml  ", "web.yaml", true},
                 {"a\\ ", "a ", true},
                 {"a\\*", "a*", true},
                 {"a\\*", "ab", false},
                 {"web.yaml\r\n", "web.yaml", true},
                 {"\n \n", "web.yaml", false},
                 {"/", "web.yaml", false}});
}

TEST(SourceIgnores, BuiltInPatternsGiveWayToOthers) {
    const SourceIgnores none;
    EXPECT_TRUE(none.leaves_out("a/cloudbuild.yaml", false));
    EXPECT_TRUE(none.leaves_out("a/.sops.yaml", false));
    EXPECT_TRUE(none.leaves_out(".github/a.yaml", false));
    EXPECT_TRUE(none.leaves_out(".git/config", false));
    EXPECT_FALSE(none.leaves_out("web.yaml", false));
    expect_rows({{"# nothing", "cloudbuild.yaml", true},
                 {"old", "cloudbuild.yaml", false},
                 {"old", ".gitignore", true},
                 {"!.gitignore", ".gitignore", false}});
}

TEST(SourceIgnores, OfADirectoryAreForWhatIsBelowIt) {
    SourceIgnores ignores;
    ignores.add("web.yaml\n/old", "apps/a");
    EXPECT_TRUE(ignores.leaves_out("apps/a/web.yaml", false));
    EXPECT_TRUE(ignores.leaves_out("apps/a/x/web.yaml", false));
    EXPECT_TRUE(ignores.leaves_out("apps/a/old/x.yaml", false));
    EXPECT_FALSE(ignores.leaves_out("apps/web.yaml", false));
    EXPECT_FALSE(ignores.leaves_out("apps/ab/web.yaml", false));
    EXPECT_FALSE(ignores.leaves_out("old/x.yaml", false));
    ignores.add("!/apps/a/web.yaml", "");  // spec.ignore of the source is added last
    EXPECT_FALSE(ignores.leaves_out("apps/a/web.yaml", false));
}

TEST(SourceIgnores, NeverLeaveOutTheTop) {
    SourceIgnores ignores;
    ignores.add("*\n/**\n**", "");
    EXPECT_FALSE(ignores.leaves_out("", true));
}

}  // namespace
}  // namespace renderer::repo
