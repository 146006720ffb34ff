#include "renderer/engines/helm/files_by_pattern.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "renderer/repo/memory_tree_testing.h"

namespace renderer::engines {
namespace {

std::string files_of_pattern(const std::string& pattern, const std::string& top = ".") {
    const repo::MemoryTree tree({{"a.yaml", ""},
                                 {"b.yaml", ""},
                                 {"env/home/a.yaml", ""},
                                 {"env/home/deep/a.yaml", ""},
                                 {"env/work/a.yaml", ""},
                                 {"env/work/b.yml", ""}});
    return fmt::to_string(fmt::join(files_by_pattern(tree, top, pattern), " "));
}

TEST(FilesByPattern, AreThoseThatMatchInOrder) {
    EXPECT_EQ(files_of_pattern("*.yaml"), "a.yaml b.yaml");
    EXPECT_EQ(files_of_pattern("[b-z].yaml"), "b.yaml");
    EXPECT_EQ(files_of_pattern("env/*/?.yaml"), "env/home/a.yaml env/work/a.yaml");
    EXPECT_EQ(files_of_pattern("env/*"), "") << "directories";
    EXPECT_EQ(files_of_pattern("none/*.yaml"), "");
    EXPECT_EQ(files_of_pattern("../*.yaml"), "") << "outside of the repository";
    EXPECT_EQ(files_of_pattern("env/*/a.yaml", "env/home"), "");
}

TEST(FilesByPattern, TakesDirectoriesOfAnyDepth) {
    EXPECT_EQ(files_of_pattern("env/**/a.yaml"),
              "env/home/a.yaml env/home/deep/a.yaml env/work/a.yaml");
    EXPECT_EQ(files_of_pattern("env/work/**"), "env/work/a.yaml env/work/b.yml");
}

TEST(FilesByPattern, TakesAlternativesOneAfterTheOther) {
    EXPECT_EQ(files_of_pattern("env/{work,home}/*.{yml,yaml}"),
              "env/work/b.yml env/work/a.yaml env/home/a.yaml");
    EXPECT_EQ(files_of_pattern("{*.yaml,a.yaml}"), "a.yaml b.yaml");
}

TEST(FilesByPattern, IsAPatternWithAWildcard) {
    EXPECT_TRUE(is_file_pattern("a/*.yaml"));
    EXPECT_TRUE(is_file_pattern("$values/[a].yaml"));
    EXPECT_FALSE(is_file_pattern("{a,b}.yaml"));
    EXPECT_FALSE(is_file_pattern("https://example.com/?a.yaml"));
}

}  // namespace
}  // namespace renderer::engines
