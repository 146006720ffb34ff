// Selects the cluster to render if a tree has several.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/engines/build_unit.h"
#include "renderer/engines/cluster_config.h"
#include "renderer/engines/gitops_tree.h"

namespace renderer::engines {

// True if `name` is the cluster's name or the last part of it.
bool is_cluster(std::string_view cluster, std::string_view name);

// A folder with roots that are applied by hand, and what they apply.
struct RootFolder {
    struct Name {
        bool is_root = false;
        std::set<std::string> dirs;  // of the units
    };

    std::string folder;                 // normal path
    std::map<std::string, Name> names;  // of objects in the same cluster
};

// Distinguishes the clusters of roots. Names are unique in a cluster, so roots with the same name
// in several folders, or with different objects of one name below them, belong to several clusters.
// If all roots below a directory belong to one cluster, everything below it does, and the cluster
// is named after the directory that is common to the roots. Returns the names by folder: of all
// folders if `all` is set and there are several clusters, else only of folders that must be
// distinguished.
std::map<std::string, std::string> tell_clusters_apart(const std::string& top,
                                                       const std::vector<RootFolder>& roots,
                                                       bool all);

// Marks the units of other clusters. Uses the options `cluster` (the name of a cluster or a unique
// part of it; "" if none was given: then several clusters with inputs are an error) and
// `skip_suspended`. `cluster`: as .tailrender.yaml has it. Returns false if it is not clear which
// cluster to render, or if all units are those of other clusters.
bool choose_cluster(GitOpsTree& repository, const repo::LoadOptions& options,
                    const Cluster& cluster, std::vector<BuildUnit>& units,
                    Diagnostics& diagnostics);

}  // namespace renderer::engines
