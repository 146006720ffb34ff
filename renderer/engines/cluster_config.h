// `.tailrender.yaml`: the clusters that are rendered from a repository.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/engines/bundle.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/source_tree.h"

namespace renderer::engines {

constexpr std::string_view kConfigFile = ".tailrender.yaml";

struct BundleGlob {
    std::string pattern;
    Pos pos;
};

struct Cluster {
    std::string name = {};    // "" if it has none
    bool configured = false;  // a .tailrender.yaml lists clusters, so its labels are known
    std::vector<std::string> others = {};  // the names of the other clusters in it
    std::map<std::string, std::string> labels = {};
    std::vector<BundleGlob> bundles = {};                 // empty = all
    std::vector<std::string> other_bundles = {};          // patterns of the other clusters
    std::vector<NamedPath> includes = {}, ignores = {};   // of all clusters, then of this one
    std::vector<NamedSource> sources = {};                // of this one, then of all clusters
    std::vector<std::string> chart_dirs = {};             // of all clusters, then of this one
    std::map<std::string, std::string> substitutes = {};  // like `sources`; variables of Flux
    std::vector<std::string> argo_clusters = {};  // likewise, in the format of --argo-cluster
    Value kubernetes_version = {};                // as spelled; Null if not set
    NamedPath policy_file = {};                   // of the tailnet; "" if the file names none
    std::vector<Value> layers = {};               // chart values: domains, then `values`
};

// Returns the keys of the file. `values` of a cluster are not checked here.
repo::Schema config_fields();

// Returns the names of all clusters in the file, in its order.
std::vector<std::string> cluster_names(const repo::SourceTree& tree,
                                       const repo::LoadOptions& options);

// Loads the cluster to render. Without the file, the cluster has the name that `--cluster` gives.
Cluster load_cluster(const repo::SourceTree& tree, const repo::LoadOptions& options,
                     SourceMap& sources, Diagnostics& diagnostics);

// Copies settings of engines from the file to the options, unless flags set them.
void give_facts(const Cluster& cluster, repo::LoadOptions& options);

}  // namespace renderer::engines
