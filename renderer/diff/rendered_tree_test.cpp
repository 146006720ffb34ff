#include "renderer/diff/rendered_tree.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "renderer/base/temporary_folder_testing.h"
#include "renderer/repo/disk_tree.h"

namespace renderer::diff {
namespace {

namespace fs = std::filesystem;

class RenderedTree : public ::testing::Test {
protected:
    void put(const std::string& path, const std::string& text) const {
        fs::create_directories((dir_ / path).parent_path());
        std::ofstream(dir_ / path) << text;
    }
    [[nodiscard]] Result<std::vector<ClusterTree>> read() const {
        return read_rendered(repo::DiskTree(), dir_.string());
    }

    const TemporaryFolder folder_;
    const fs::path dir_ = folder_.path();
};

TEST_F(RenderedTree, IsKnownByItsInventory) {
    put(".tailrender-inventory", "a/b.yaml\n");
    put("a/b.yaml", "x: 1\n");
    put("stranger.yaml", "y: 1\n");
    const auto found = read();
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 1U);
    ASSERT_EQ(found->front().files.size(), 1U);
    EXPECT_EQ(found->front().files[0].path, "a/b.yaml");
    EXPECT_EQ(found->front().files[0].content, "x: 1\n");
}

TEST_F(RenderedTree, MayHoldClusters) {
    put("home/.tailrender-inventory", "");
    put("lab/.tailrender-inventory", "");
    put("README.md", "what this is\n");
    const auto found = read();
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 2U);
    EXPECT_EQ(found->back().cluster, "lab");
}

TEST_F(RenderedTree, MayHoldClustersInFolders) {
    put("clusters/home/.tailrender-inventory", "");
    put("clusters/eu/lab/.tailrender-inventory", "");
    put("clusters/eu/lab/broken/.tailrender-inventory", "");
    put(".github/workflows/render.yml", "on: push\n");
    put("CODEOWNERS", "* @ops\n");
    put("docs/how.txt", "x\n");
    const auto found = read();
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 2U);
    EXPECT_EQ(found->front().cluster, "eu/lab");
    EXPECT_EQ(found->back().cluster, "home");
    const auto below = rendered_below(repo::DiskTree(), dir_.string());
    ASSERT_TRUE(below);
    EXPECT_EQ(*below, (std::vector<std::string>{"clusters/eu/lab", "clusters/home"}));
}

TEST_F(RenderedTree, IsNotASourceThatHoldsOne) {
    put("rendered/.tailrender-inventory", "");
    put("web.yaml", "x: 1\n");
    const auto beside_a_manifest = read();
    EXPECT_TRUE(beside_a_manifest && beside_a_manifest->empty());
    fs::remove(dir_ / "web.yaml");
    put("apps/web.yaml", "x: 1\n");
    const auto beside_a_directory = read();
    EXPECT_TRUE(beside_a_directory && beside_a_directory->empty());
    fs::remove_all(dir_ / "apps");
    put(".tailrender.yaml", "clusters: []\n");
    const auto beside_the_clusters = read();
    EXPECT_TRUE(beside_the_clusters && beside_the_clusters->empty());
}

TEST_F(RenderedTree, FollowsNoLink) {
    put(".tailrender-inventory", "link.yaml\n");
    put("other/secret.yaml", "x: 1\n");
    fs::create_symlink("other/secret.yaml", dir_ / "link.yaml");
    auto file = read();
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().diagnostic.rule, "unsafe-path");
    put(".tailrender-inventory", "dir/secret.yaml\n");
    fs::create_directory_symlink("other", dir_ / "dir");
    auto dir = read();
    ASSERT_FALSE(dir);
    EXPECT_EQ(dir.error().diagnostic.rule, "unsafe-path");
    fs::remove(dir_ / ".tailrender-inventory");
    fs::remove(dir_ / "link.yaml");
    fs::remove(dir_ / "other/secret.yaml");
    put("other/.tailrender-inventory", "");
    const auto linked = read();
    EXPECT_TRUE(linked && linked->empty());
}

TEST_F(RenderedTree, StaysInside) {
    for (const char* line : {"../x\n", "/etc/passwd\n", "a/../../x\n", "..\n", "a//b\n", "./a\n"}) {
        put(".tailrender-inventory", line);
        EXPECT_FALSE(read()) << line;
    }
}

}  // namespace
}  // namespace renderer::diff
