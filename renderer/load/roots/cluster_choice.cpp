#include "renderer/load/roots/cluster_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "renderer/load/roots/liveness.h"
#include "renderer/load/roots/plan.h"
#include "renderer/load/roots/unit_inputs.h"
#include "renderer/load/tree/paths.h"

namespace renderer {

namespace {

// The clusters whose units hold inputs.
std::set<std::string> clusters_with_inputs(GitOpsTree& repository,
                                           const std::vector<BuildUnit>& units, bool skips_kept) {
    std::set<std::string> clusters;
    for (const BuildUnit& unit : units) {
        // Flux has no word for the cluster that it runs in.
        const std::string name(unit.cluster.empty() ? kOwnCluster : unit.cluster);
        if (is_rendered(unit, skips_kept) && !clusters.contains(name) &&
            input_count(repository, unit) > 0) {
            clusters.insert(name);
        }
    }
    return clusters;
}

void refuse_leftover(const BuildUnit& instance, const BuildUnit& leftover,
                     Diagnostics& diagnostics) {
    diagnostics.error("two-roots", {}, "two roots of Flux apply different inputs")
        .where(leftover.file)
        .found(fmt::format("{} applies {}, and {} of {} applies {}", leftover.name, leftover.dir,
                           instance.name, instance.file, instance.dir))
        .expected(
            fmt::format("one root: only the first reaches {}", fmt::join(leftover.beyond, ", ")))
        .hint(fmt::format(
            "remove it if it is left over; --include {} renders what only it reaches; of two "
            "clusters --cluster {} chooses one",
            leftover.beyond.front(), instance.cluster));
}

}  // namespace

bool is_cluster(std::string_view cluster, std::string_view name) {
    return cluster == name || base_name(cluster) == name;
}

void tell_clusters_apart(const std::string& top, std::vector<BuildUnit>& roots) {
    std::map<std::pair<std::string, std::string>, std::set<std::string>> folders;
    for (const BuildUnit& root : roots) {
        folders[{root.name, root.cluster}].insert(parent_path(root.file));
    }
    std::set<std::string> apart;
    for (const auto& [name, found] : folders) {
        if (found.size() > 1) {
            apart.insert(found.begin(), found.end());
        }
    }
    for (BuildUnit& root : roots) {
        const std::string folder = parent_path(root.file);
        if (apart.contains(folder) && root.cluster == kOwnCluster) {
            const std::string label = relative_path(folder, top);
            root.cluster = label.empty() ? "." : label;
        }
    }
}

void name_clusters(const std::string& top, std::vector<BuildUnit>& roots) {
    std::set<std::pair<std::string, std::string>> names;
    bool are_several = false;
    for (const BuildUnit& root : roots) {
        are_several = !names.emplace(root.cluster, root.name).second || are_several;
    }
    for (BuildUnit& root : roots) {
        if (are_several && root.cluster.empty()) {
            const std::string label = relative_path(parent_path(root.file), top);
            root.cluster = label.empty() ? "." : label;
        }
    }
}

void choose_cluster(GitOpsTree& repository, const LoadOptions& options,
                    std::vector<BuildUnit>& units, Diagnostics& diagnostics) {
    const std::string& cluster = options.cluster;
    const auto is_chosen = [&](std::string_view name) { return is_cluster(name, cluster); };
    const bool is_known =
        !cluster.empty() &&
        std::ranges::any_of(units, [&](const BuildUnit& unit) { return is_chosen(unit.cluster); });
    if (is_known) {
        for (BuildUnit& unit : units) {
            // A set may apply something to any cluster, unless it is known to be of one.
            const bool may_be_any = unit.state == UnitState::Unresolved &&
                                    (unit.cluster.empty() || unit.cluster == kOwnCluster);
            if (!may_be_any && !is_chosen(unit.cluster)) {
                unit.state = UnitState::OtherCluster;
                unit.reason = unit.cluster;
            }
        }
        return;
    }
    const auto leftover =
        std::ranges::find_if(units, [](const BuildUnit& unit) { return !unit.beyond.empty(); });
    if (leftover != units.end()) {
        refuse_leftover(units.front(), *leftover, diagnostics);
        return;
    }
    const std::set<std::string> clusters =
        clusters_with_inputs(repository, units, options.skip_suspended);
    if (clusters.size() > 1) {
        diagnostics.error("several-clusters", {}, "this tree is applied by several clusters")
            .where(cluster.empty() ? repository.root() : "--cluster")
            .found(fmt::format("\"{}\"", fmt::join(clusters, "\", \"")))
            .expected("one of them")
            .hint(fmt::format("--cluster {}", *clusters.begin()));
    }
}

}  // namespace renderer
