#include "renderer/repo/mounted_tree.h"

#include <gtest/gtest.h>

#include "renderer/repo/memory_tree_testing.h"

namespace renderer::repo {
namespace {

TEST(MountedTree, HasWhatIsElsewhereAtItsPlaceAndListsItNowhereElse) {
    const MemoryTree base(std::map<std::string, std::string>{{"app/a.yaml", "a"}});
    MountedTree tree(base, ".");
    tree.mount("_sources/other", "copy",
               std::make_shared<MemoryTree>(
                   std::map<std::string, std::string>{{"copy/x/b.yaml", "b"}, {"c.yaml", "c"}}));
    EXPECT_EQ(*tree.read("app/a.yaml"), "a");
    EXPECT_EQ(*tree.read("_sources/other/x/b.yaml"), "b");
    EXPECT_EQ(tree.kind("_sources/other"), EntryKind::Directory);
    EXPECT_EQ(tree.kind("_sources/other/x"), EntryKind::Directory);
    EXPECT_EQ(tree.kind("_sources/other/c.yaml"), EntryKind::Missing);
    EXPECT_EQ(tree.list("_sources/other")->size(), 1U);
    EXPECT_TRUE(tree.is_mounted("_sources/other/x"));
    EXPECT_FALSE(tree.is_mounted("_sources/others"));
    ASSERT_EQ(tree.list(".")->size(), 1U);
    EXPECT_EQ(tree.real_path("_sources/other/x/b.yaml"),
              base.real_path(".") + "/_sources/other/x/b.yaml");
}

TEST(MountedTree, HasAFileAlone) {
    const MemoryTree base(std::map<std::string, std::string>{{"app/a.yaml", "a"}});
    MountedTree tree(base, ".");
    tree.mount(
        "_sources/all.yaml", "copy.yaml",
        std::make_shared<MemoryTree>(std::map<std::string, std::string>{{"copy.yaml", "b"}}));
    EXPECT_EQ(tree.kind("_sources/all.yaml"), EntryKind::File);
    EXPECT_EQ(*tree.read("_sources/all.yaml"), "b");
}

}  // namespace
}  // namespace renderer::repo
