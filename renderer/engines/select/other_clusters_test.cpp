#include "renderer/engines/select/other_clusters.h"

#include <gtest/gtest.h>

namespace renderer::engines {
namespace {

struct ClustersRow {
    std::vector<std::string> own, others;
    std::string dir;
    bool want;
};

TEST(OtherClusters, HaveWhatNothingOfThisOneIsIn) {
    const std::vector<ClustersRow> rows = {
        {{"clusters/a"}, {"clusters/b"}, "clusters/b", true},
        {{"clusters/a"}, {"clusters/b"}, "clusters/b/apps/web", true},
        {{"clusters/a"}, {"clusters/b"}, "clusters", false},
        {{"clusters/a"}, {"clusters/b"}, "clusters/a", false},
        {{"clusters/a"}, {"clusters/b"}, "clusters/bc", false},
        {{"clusters/a"}, {"clusters/b"}, "scripts", false},
        {{}, {"clusters/b"}, "clusters/b", false},
        {{"."}, {"clusters/b"}, "clusters/b", false},
        {{"clusters/a"}, {"."}, "clusters/a", false},
        {{"shared", "clusters/a"}, {"shared", "clusters/b"}, "shared/x", false},
        {{"clusters/b/common"}, {"clusters/b"}, "clusters/b", false},
        {{"clusters/b/common"}, {"clusters/b"}, "clusters/b/common/x", false},
        {{"clusters/b/common"}, {"clusters/b"}, "clusters/b/apps", true},
        {{"clusters/a"}, {"clusters/[b-d]"}, "clusters/c/apps", true},
        {{"clusters/*/common"}, {"clusters/b"}, "clusters/b", false},
        {{"clusters/*/common"}, {"clusters/b"}, "clusters/b/common", false},
        {{"clusters/b/x*"}, {"clusters/b"}, "clusters/b/apps", false},
        {{"clusters/b/x*"}, {"clusters/b"}, "clusters/b", false},
        {{"*/common"}, {"clusters/b"}, "clusters/b", false},
    };
    for (const ClustersRow& row : rows) {
        Cluster cluster;
        for (const std::string& pattern : row.own) {
            cluster.bundles.push_back({pattern, {}});
        }
        cluster.other_bundles = row.others;
        SCOPED_TRACE(row.dir + (row.own.empty() ? "" : " of " + row.own.front()));
        EXPECT_EQ(OtherClusters(cluster, ".", {}).have(row.dir), row.want);
    }
}

TEST(OtherClusters, LackWhatIsIncluded) {
    Cluster cluster;
    cluster.bundles.push_back({"clusters/a", {}});
    cluster.other_bundles = {"clusters/b", "clusters/c", "clusters/d"};
    cluster.includes.push_back({{}, "clusters/b/apps"});
    repo::LoadOptions options;
    options.includes = {"fleet/clusters/c"};
    const OtherClusters others(cluster, "fleet", options);
    EXPECT_FALSE(others.have("clusters/b"));
    EXPECT_FALSE(others.have("clusters/b/apps/web"));
    EXPECT_TRUE(others.have("clusters/b/web"));
    EXPECT_FALSE(others.have("clusters/c"));
    EXPECT_TRUE(others.have("clusters/d"));
}

}  // namespace
}  // namespace renderer::engines
