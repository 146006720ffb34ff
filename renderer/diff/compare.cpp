#include "renderer/diff/compare.h"

#include <algorithm>
#include <map>
#include <utility>

namespace renderer {
namespace {

using Pair = std::pair<std::vector<OutputFile>, std::vector<OutputFile>>;

ClusterComparison compare_cluster(std::string name, Pair files, const SecretHash& hash) {
    const Manifests before(std::move(files.first));
    const Manifests after(std::move(files.second));
    ClusterComparison comparison;
    comparison.cluster = std::move(name);
    comparison.objects = compare_objects(before, after, hash);
    comparison.devices =
        compare_devices(read_devices(before), read_devices(after), comparison.objects.renames);
    return comparison;
}

}  // namespace

bool Comparison::is_equal() const {
    return std::ranges::all_of(
        clusters, [](const ClusterComparison& cluster) { return cluster.objects.changes.empty(); });
}

Comparison compare_trees(std::vector<ClusterTree> base, std::vector<ClusterTree> head,
                         const SecretHash& hash) {
    if (base.size() == 1 && head.size() == 1) {
        const std::string name =
            head.front().cluster.empty() ? base.front().cluster : head.front().cluster;
        if (base.front().cluster.empty() || head.front().cluster.empty()) {
            base.front().cluster = name;
            head.front().cluster = name;
        }
    }
    std::map<std::string, Pair> clusters;
    for (ClusterTree& tree : base) {
        clusters[tree.cluster].first = std::move(tree.files);
    }
    for (ClusterTree& tree : head) {
        clusters[tree.cluster].second = std::move(tree.files);
    }
    Comparison comparison;
    for (auto& [name, files] : clusters) {
        comparison.clusters.push_back(compare_cluster(name, std::move(files), hash));
    }
    return comparison;
}

}  // namespace renderer
