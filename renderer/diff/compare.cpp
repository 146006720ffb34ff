#include "renderer/diff/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "renderer/base/parallel.h"

namespace renderer::diff {
namespace {

using Pair = std::pair<ClusterTree, ClusterTree>;

std::string_view reason_in(const std::optional<KeptParents>& kept, const std::string& parent) {
    const auto found = kept ? kept->find(parent) : KeptParents::const_iterator();
    return kept && found != kept->end() ? std::string_view(found->second) : std::string_view();
}

// Compares only parents that both sides have, and only if both trees record what is kept.
std::vector<KeptChange> compare_kept(const Pair& trees, const std::vector<Device>& before,
                                     const std::vector<Device>& after) {
    std::vector<KeptChange> changes;
    for (const Device& device : after) {
        const bool is_old =
            std::ranges::find(before, device.parent, &Device::parent) != before.end();
        const std::string_view old = reason_in(trees.first.kept, device.parent);
        const std::string_view now = reason_in(trees.second.kept, device.parent);
        if (trees.first.kept && trees.second.kept && is_old && old.empty() != now.empty()) {
            changes.push_back({old.empty(), device.hostname, device.parent,
                               std::string(old.empty() ? now : old)});
        }
    }
    return changes;
}

// The sides share no data, so they are read in parallel.
ClusterComparison compare_cluster(std::string name, Pair trees, const secrets::SecretHash& hash) {
    std::array<std::optional<Manifests>, 2> sides;
    for_each_parallel(2, 0, [&](std::size_t i) {
        ClusterTree& tree = i == 0 ? trees.first : trees.second;
        sides[i].emplace(std::move(tree.files), std::move(tree.facts));
    });
    ClusterComparison comparison;
    comparison.cluster = std::move(name);
    comparison.objects = compare_objects(*sides[0], *sides[1], hash);
    std::array<std::vector<Device>, 2> devices;
    for_each_parallel(2, 0, [&](std::size_t i) { devices[i] = read_devices(*sides[i]); });
    comparison.kept = compare_kept(trees, devices[0], devices[1]);
    comparison.devices =
        compare_devices(std::move(devices[0]), std::move(devices[1]), comparison.objects.renames);
    for (DeviceChange& change : comparison.devices.changes) {
        const std::string_view reason = reason_in(trees.second.kept, change.shown().parent);
        if (change.after && !reason.empty()) {
            change.reasons.push_back(
                fmt::format("kept by {}: it changes when that is applied again", reason));
        }
    }
    return comparison;
}

}  // namespace

bool Comparison::has_equal_objects() const {
    return std::ranges::all_of(
        clusters, [](const ClusterComparison& cluster) { return cluster.objects.changes.empty(); });
}

bool Comparison::is_equal() const {
    const bool has_equal_access =
        !access ||
        (access->not_compared.empty() && access->unjudged.empty() && access->lacking.empty() &&
         std::ranges::all_of(
             clusters, [](const ClusterComparison& cluster) { return cluster.access.empty(); }));
    return has_equal_objects() && has_equal_access;
}

const std::string* lacked_for(const Comparison& comparison, std::string_view cluster,
                              const ReachChange& change) {
    const bool needs_funnel =
        change.added && change.offer.is_public && change.offer.target != kRelayed;
    if (!comparison.access || !needs_funnel) {
        return nullptr;
    }
    const bool is_one = comparison.clusters.size() == 1;
    const auto entry =
        comparison.access->no_funnel.find(key_of_funnel(is_one ? "" : cluster, change.parent));
    return entry == comparison.access->no_funnel.end() ? nullptr : &entry->second;
}

Comparison compare_trees(std::vector<ClusterTree> base, std::vector<ClusterTree> head,
                         const secrets::SecretHash& hash) {
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
        ClusterTree& place = clusters[tree.cluster].first;
        place = std::move(tree);
    }
    for (ClusterTree& tree : head) {
        ClusterTree& place = clusters[tree.cluster].second;
        place = std::move(tree);
    }
    Comparison comparison;
    for (auto& [name, trees] : clusters) {
        comparison.clusters.push_back(compare_cluster(name, std::move(trees), hash));
    }
    return comparison;
}

}  // namespace renderer::diff
