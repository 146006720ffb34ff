#include "renderer/diff/compare.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "renderer/base/parallel.h"

namespace renderer {
namespace {

using Pair = std::pair<std::vector<OutputFile>, std::vector<OutputFile>>;

// The sides have nothing in common until they are compared.
ClusterComparison compare_cluster(std::string name, Pair files, const SecretHash& hash) {
    std::array<std::optional<Manifests>, 2> sides;
    for_each_parallel(2, 0, [&](std::size_t i) {
        sides[i].emplace(std::move(i == 0 ? files.first : files.second));
    });
    ClusterComparison comparison;
    comparison.cluster = std::move(name);
    comparison.objects = compare_objects(*sides[0], *sides[1], hash);
    std::array<std::vector<Device>, 2> devices;
    for_each_parallel(2, 0, [&](std::size_t i) { devices[i] = read_devices(*sides[i]); });
    comparison.devices =
        compare_devices(std::move(devices[0]), std::move(devices[1]), comparison.objects.renames);
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
