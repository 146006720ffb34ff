#include "renderer/repo/paths.h"

#include <gtest/gtest.h>

namespace renderer::repo {
namespace {

TEST(Paths, Join) {
    EXPECT_EQ(join_path(".", "a.yaml"), "a.yaml");
    EXPECT_EQ(join_path("", "a.yaml"), "a.yaml");
    EXPECT_EQ(join_path("a", "b/c"), "a/b/c");
    EXPECT_EQ(join_path("a/", "b"), "a/b");
    EXPECT_EQ(join_path("a", ""), "a");
}

TEST(Paths, Normal) {
    EXPECT_EQ(normal_path(""), ".");
    EXPECT_EQ(normal_path("./"), ".");
    EXPECT_EQ(normal_path("./a//b/../c/"), "a/c");
    EXPECT_EQ(normal_path("../a"), "../a");
    EXPECT_EQ(normal_path("/"), "/");
}

TEST(Paths, Inside) {
    EXPECT_EQ(path_inside("a", "b/../../../c"), "a/c");
    EXPECT_EQ(path_inside("a", "/b/"), "a/b");
    EXPECT_EQ(path_inside("a", ""), "a");
    EXPECT_EQ(path_inside("", ".."), ".");
}

TEST(Paths, Parts) {
    EXPECT_EQ(base_name("a/b.yaml"), "b.yaml");
    EXPECT_EQ(base_name("b.yaml"), "b.yaml");
    EXPECT_EQ(parent_path("a/b/c"), "a/b");
    EXPECT_EQ(parent_path("a"), ".");
    EXPECT_EQ(parent_path("/a"), "/");
}

TEST(Paths, Within) {
    EXPECT_TRUE(is_within("a/b", "a"));
    EXPECT_TRUE(is_within("a", "a"));
    EXPECT_TRUE(is_within("a", "."));
    EXPECT_TRUE(is_within("../a", ".."));
    EXPECT_TRUE(is_within("/a/b", "/a"));
    EXPECT_TRUE(is_within("/a", "/"));
    EXPECT_FALSE(is_within("/a", "a"));
    EXPECT_FALSE(is_within("ab", "a"));
    EXPECT_FALSE(is_within("../a", "."));
    EXPECT_FALSE(is_within("x", ".."));
    EXPECT_FALSE(is_within("x", "../a"));
    EXPECT_FALSE(is_within("x", "../../a/b"));
}

TEST(Paths, Relative) {
    EXPECT_EQ(relative_path("a/b", "a"), "b");
    EXPECT_EQ(relative_path("a", "a"), "");
    EXPECT_EQ(relative_path("a/b", "."), "a/b");
    EXPECT_EQ(relative_path("base/x", "overlays/a"), "../../base/x");
    EXPECT_EQ(relative_path("../b", "../a"), "../b");
    EXPECT_EQ(relative_path("b", "../a"), "../b");
}

TEST(Paths, ManifestNames) {
    EXPECT_TRUE(is_manifest_name("a.yaml"));
    EXPECT_TRUE(is_manifest_name("a.yml"));
    EXPECT_TRUE(is_manifest_name("a.json"));
    EXPECT_FALSE(is_manifest_name("a.yaml.example"));
    EXPECT_FALSE(is_manifest_name("yaml"));
}

TEST(Paths, Globs) {
    EXPECT_TRUE(matches_glob("apps/*", "apps/web"));
    EXPECT_FALSE(matches_glob("apps/*", "apps/web/deep"));
    EXPECT_FALSE(matches_glob("*", "a/b"));
    EXPECT_TRUE(matches_glob("w?b[0-9]", "wab7"));
    EXPECT_FALSE(matches_glob("web", "web2"));
}

TEST(Paths, BraceAlternatives) {
    using Patterns = std::vector<std::string>;
    EXPECT_EQ(brace_alternatives("*.yaml"), Patterns{"*.yaml"});
    EXPECT_EQ(brace_alternatives("{a,b}/{x,}.yaml"),
              (Patterns{"a/x.yaml", "a/.yaml", "b/x.yaml", "b/.yaml"}));
    EXPECT_EQ(brace_alternatives("{}{a"), Patterns{"{a"});
    EXPECT_EQ(brace_alternatives("{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}").size(),
              1024U);
}

}  // namespace
}  // namespace renderer::repo
