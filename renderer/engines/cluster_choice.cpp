#include "renderer/engines/cluster_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "renderer/base/printable.h"
#include "renderer/base/split.h"
#include "renderer/engines/liveness.h"
#include "renderer/engines/unit_inputs.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

std::string cluster_name(const BuildUnit& unit) {
    // Flux has no name for the cluster that it runs in.
    return std::string(unit.cluster.empty() ? kOwnCluster : unit.cluster);
}

// Returns the clusters with units that have inputs.
std::set<std::string> clusters_with_inputs(GitOpsTree& repository,
                                           const std::vector<BuildUnit>& units, bool skips_kept) {
    std::set<std::string> clusters;
    for (const BuildUnit& unit : units) {
        if (is_rendered(unit, skips_kept) && !clusters.contains(cluster_name(unit)) &&
            input_count(repository, unit) > 0) {
            clusters.insert(cluster_name(unit));
        }
    }
    return clusters;
}

// True if the output is that of a cluster with this name.
bool had_cluster(const std::set<std::string, std::less<>>& units, std::string_view name) {
    return std::ranges::any_of(units, [&](std::string_view unit) {
        const std::string_view cluster = cluster_of_path(unit);
        return !cluster.empty() && is_cluster(cluster, name);
    });
}

// `cluster` is the only one with inputs. Returns the other clusters that install the operator from
// files that `cluster` does not apply. A cluster without a known name may be `cluster` itself, so
// it does not count.
std::set<std::string> clusters_with_other_operators(const GitOpsTree& repository,
                                                    const std::vector<BuildUnit>& units,
                                                    const std::string& cluster) {
    if (cluster == kOwnCluster) {
        return {};
    }
    std::map<std::string, std::set<std::string>> files;
    for (const BuildUnit& unit : units) {
        if (cluster_name(unit) != kOwnCluster) {
            files[cluster_name(unit)].merge(operator_files(repository, unit));
        }
    }
    std::set<std::string> others;
    for (const auto& [name, installing] : files) {
        if (name != cluster && !std::ranges::includes(files[cluster], installing)) {
            others.insert(name);
        }
    }
    return others;
}

void refuse_leftover(const BuildUnit& instance, const BuildUnit& leftover,
                     Diagnostics& diagnostics) {
    diagnostics.error("two-roots", {}, "two roots of Flux apply different inputs")
        .where(leftover.file)
        .found(fmt::format("{} applies {}, and {} of {} applies {}", leftover.name, leftover.dir,
                           instance.name, instance.file, instance.dir))
        .expected(
            fmt::format("one root: only the first reaches {}", fmt::join(leftover.beyond, ", ")))
        .hint(fmt::format("remove it if it is unused; to render what only it applies, use "
                          "--include {}; if they are two clusters, choose one with --cluster {}",
                          shell_word(leftover.beyond.front()), shell_word(instance.cluster)));
}

// Returns the names that match: the exact one, else those that end with `name`, else those that
// contain it between slashes, else parent folders of it.
std::set<std::string> clusters_meant(const std::set<std::string>& names, std::string_view name) {
    while (name.ends_with('/')) {
        name.remove_suffix(1);
    }
    if (name.starts_with("./")) {
        name.remove_prefix(2);
    }
    std::set<std::string> exact, last, within, above;
    for (const std::string& one : names) {
        const std::string framed = fmt::format("/{}/", one);
        const std::string part = fmt::format("/{}/", name);
        if (name.empty()) {
            continue;
        }
        if (one == name) {
            exact.insert(one);
        } else if (framed.ends_with(part)) {
            last.insert(one);
        } else if (framed.find(part) != std::string::npos) {
            within.insert(one);
        } else if (part.starts_with(framed)) {
            above.insert(one);
        }
    }
    for (const std::set<std::string>* found : {&exact, &last, &within}) {
        if (!found->empty()) {
            return *found;
        }
    }
    return above;
}

void refuse_name(const std::string& name, std::string_view why,
                 const std::set<std::string>& clusters, Diagnostics& diagnostics) {
    std::vector<std::string_view> short_names;
    for (std::string_view rest : clusters) {
        while (!rest.empty()) {
            const std::string_view part = take(rest, '/');
            if (clusters_meant(clusters, part).size() == 1) {
                short_names.push_back(part);
            }
        }
    }
    const std::string_view near = nearest(name, short_names);
    diagnostics.error("unknown-cluster", {}, std::string(why))
        .where("--cluster")
        .found(fmt::format("\"{}\"", name))
        .expected(fmt::format("one of {}, or a unique part of one", some_quoted(clusters)))
        .hint(
            fmt::format("--cluster {}", near.empty() ? std::string_view(*clusters.begin()) : near));
}

bool is_below(std::string_view path, std::string_view dir) {
    return dir == "." || path == dir ||
           (path.starts_with(dir) && path.substr(dir.size()).starts_with('/'));
}

// Groups folders of roots into clusters.
class Folders {
public:
    explicit Folders(const std::vector<RootFolder>& roots) {
        for (const RootFolder& root : roots) {
            Names& names = folders_[root.folder];
            for (const auto& [name, one] : root.names) {
                names[name].is_root = names[name].is_root || one.is_root;
                names[name].dirs.insert(one.dirs.begin(), one.dirs.end());
            }
        }
        for (auto one = folders_.begin(); one != folders_.end(); ++one) {
            for (auto other = std::next(one); other != folders_.end(); ++other) {
                if (disagree(one->second, other->second)) {
                    apart_.insert({one->first, other->first});
                    join(one->first, other->first);
                }
            }
        }
        find_clusters();
    }

    [[nodiscard]] bool are_several() const { return !apart_.empty(); }

    [[nodiscard]] const std::string& cluster_of(const std::string& folder) const {
        return clusters_.at(folder);
    }

    [[nodiscard]] bool must_be_told_apart(const std::string& cluster) const {
        return std::ranges::any_of(
            apart_, [&](const std::string& folder) { return clusters_.at(folder) == cluster; });
    }

private:
    using Names = std::map<std::string, RootFolder::Name>;

    static bool disagree(const Names& one, const Names& other) {
        return std::ranges::any_of(one, [&](const auto& name) {
            const auto twin = other.find(name.first);
            return twin != other.end() && ((name.second.is_root && twin->second.is_root) ||
                                           name.second.dirs != twin->second.dirs);
        });
    }

    void join(const std::string& one, const std::string& other) {
        for (std::string dir = one;; dir = repo::parent_path(dir)) {
            if (is_below(other, dir)) {
                joining_.insert(dir);
            }
            if (dir == repo::parent_path(dir)) {
                break;
            }
        }
    }

    // A cluster consists of all folders below the highest directory that has no folder of another
    // cluster below it.
    void find_clusters() {
        // The common directory of the roots below each highest directory.
        std::map<std::string, std::string> common;
        std::map<std::string, std::string> highest;
        for (const auto& [folder, names] : folders_) {
            std::string above = folder;
            for (std::string dir = folder; !joining_.contains(dir) &&
                                           !joining_.contains(repo::parent_path(dir)) &&
                                           dir != repo::parent_path(dir);) {
                dir = repo::parent_path(dir);
                above = dir;
            }
            std::string& shared = common.try_emplace(above, folder).first->second;
            while (!is_below(folder, shared)) {
                shared = repo::parent_path(shared);
            }
            highest[folder] = above;
        }
        for (const auto& [folder, above] : highest) {
            clusters_[folder] = common[above];
        }
    }

    std::map<std::string, Names> folders_;
    std::set<std::string> apart_;    // folders that cannot be in one cluster with all others
    std::set<std::string> joining_;  // directories above folders of two clusters
    std::map<std::string, std::string> clusters_;  // by folder
};

}  // namespace

bool is_cluster(std::string_view cluster, std::string_view name) {
    return cluster == name || repo::base_name(cluster) == name;
}

std::map<std::string, std::string> tell_clusters_apart(const std::string& top,
                                                       const std::vector<RootFolder>& roots,
                                                       bool all) {
    const Folders folders(roots);
    std::map<std::string, std::string> clusters;
    for (const RootFolder& root : roots) {
        const std::string& cluster = folders.cluster_of(root.folder);
        if (folders.are_several() && (all || folders.must_be_told_apart(cluster))) {
            const std::string label = repo::relative_path(cluster, top);
            clusters[root.folder] = label.empty() ? "." : label;
        }
    }
    return clusters;
}

namespace {

// True if each cluster that is known by its units is another one of .tailrender.yaml.
bool are_of_others(const std::set<std::string>& names, const Cluster& cluster) {
    return cluster.configured && !names.empty() &&
           std::ranges::all_of(names, [&](const std::string& name) {
               return std::ranges::any_of(cluster.others, [&](const std::string& other) {
                   return is_cluster(name, other);
               });
           });
}

}  // namespace

bool choose_cluster(GitOpsTree& repository, const repo::LoadOptions& options,
                    const Cluster& cluster, std::vector<BuildUnit>& units,
                    Diagnostics& diagnostics) {
    std::set<std::string> names;
    for (const BuildUnit& unit : units) {
        if (!unit.cluster.empty()) {
            names.insert(unit.cluster);
        }
    }
    const std::set<std::string> meant = clusters_meant(names, options.cluster);
    if (meant.size() == 1) {
        const std::string& chosen = *meant.begin();
        for (BuildUnit& unit : units) {
            // A set may apply objects to any cluster, unless its cluster is known.
            const bool may_be_any =
                (unit.state == UnitState::Unresolved || unit.rest == UnitRest::Set) &&
                (unit.cluster.empty() || unit.cluster == kOwnCluster);
            if (!may_be_any && unit.cluster != chosen) {
                unit.state = UnitState::OtherCluster;
                unit.reason = unit.cluster;
            }
        }
        return true;
    }
    if (meant.size() > 1) {
        refuse_name(options.cluster, "this name fits several clusters of this tree", meant,
                    diagnostics);
        return false;
    }
    if (are_of_others(names, cluster)) {
        diagnostics
            .error("unknown-cluster", {}, "nothing in this tree says what this cluster applies")
            .where("--cluster")
            .found(fmt::format("\"{}\"", cluster.name))
            .expected(
                fmt::format("Kustomizations or Applications of it, as of {}", some_quoted(names)))
            .hint("\"tailrender roots\" lists what is known");
        return false;
    }
    const auto leftover =
        std::ranges::find_if(units, [](const BuildUnit& unit) { return !unit.beyond.empty(); });
    if (leftover != units.end()) {
        refuse_leftover(units.front(), *leftover, diagnostics);
        return false;
    }
    std::set<std::string> clusters =
        clusters_with_inputs(repository, units, options.skip_suspended);
    const std::string first = clusters.empty() ? std::string() : *clusters.begin();
    if (clusters.size() == 1 && options.cluster.empty() && !cluster.configured) {
        clusters.merge(clusters_with_other_operators(repository, units, first));
    }
    // The user may give any name to the cluster that an engine runs in.
    const bool may_be_own = cluster.configured || clusters.contains(std::string(kOwnCluster));
    names.erase(std::string(kOwnCluster));
    if (!options.cluster.empty() &&
        (clusters.size() > 1 || (names.size() > 1 && !may_be_own) ||
         (!names.empty() && had_cluster(options.earlier_units, options.cluster)))) {
        names.insert(clusters.begin(), clusters.end());
        refuse_name(options.cluster, "no cluster of this tree has this name", names, diagnostics);
        return false;
    }
    if (clusters.size() > 1) {
        diagnostics.error("several-clusters", {}, "this tree is applied by several clusters")
            .where(repository.root())
            .found(some_quoted(clusters))
            .expected("one of them")
            .hint(fmt::format("--cluster {}", shell_word(first)));
        return false;
    }
    return true;
}

}  // namespace renderer::engines
