#include "renderer/engines/flux/local_sources.h"

#include "renderer/engines/cluster_config.h"
#include "renderer/git/git_testing.h"
#include "renderer/repo/disk_tree.h"
#include "renderer/repo/git_tree.h"
#include "renderer/repo/load_options.h"

namespace renderer::engines {
namespace {

// The .tailrender.yaml of `sub` names `../vendor`.
class LocalSourcesTest : public git::GitSandbox {
protected:
    void SetUp() override {
        git::GitSandbox::SetUp();
        put("vendor/web.yaml", "kind: Service\n");
        put("sub/app.yaml", "kind: Service\n");
    }

    std::string found_in(const repo::SourceTree& tree, const std::string& root) const {
        repo::LoadOptions options;
        options.path = root;
        Cluster cluster;
        cluster.sources = {
            {.key = "https://example.com/web", .path = {.pos = {1}, .path = "../vendor"}}};
        Diagnostics diagnostics;
        const LocalSources sources(tree, options, cluster, diagnostics);
        if (!diagnostics.empty()) {
            return diagnostics.all().front().rule;
        }
        const std::optional<std::string> dir = sources.find_address("https://example.com/web");
        Result<std::string> text = sources.tree().read(dir.value_or("nowhere") + "/web.yaml");
        return text ? *text : text.error().diagnostic.rule;
    }
};

TEST_F(LocalSourcesTest, AFileOfTheTreeNamesADirectoryBesideItInTheRepository) {
    commit_all();
    const std::string root = repo_ + "/sub";
    EXPECT_EQ(found_in(repo::DiskTree({}, {root}), root), "kind: Service\n");
    EXPECT_EQ(found_in(**repo::GitTree::open(root, "HEAD"), root), "kind: Service\n");
}

TEST_F(LocalSourcesTest, WithoutARepositoryNothingOutsideOfTheTree) {
    std::filesystem::remove_all(repo_ + "/.git");
    const std::string root = repo_ + "/sub";
    EXPECT_EQ(found_in(repo::DiskTree({}, {root}), root), "outside-tree");
}

}  // namespace
}  // namespace renderer::engines
