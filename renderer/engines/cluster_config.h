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
#include "renderer/repo/load_options.h"
#include "renderer/repo/source_tree.h"

namespace renderer {

constexpr std::string_view kConfigFile = ".tailrender.yaml";

struct BundleGlob {
    std::string pattern;
    Pos pos;
};

struct Cluster {
    std::string name = {};    // "" when no one names it
    bool configured = false;  // a .tailrender.yaml lists clusters, so its labels are known
    std::map<std::string, std::string> labels = {};
    std::vector<BundleGlob> bundles = {};                 // empty = all
    std::vector<NamedPath> includes = {}, ignores = {};   // of all clusters, and of this one
    std::vector<NamedSource> sources = {};                // of this one, and of all clusters
    std::map<std::string, std::string> substitutes = {};  // likewise, of Flux
    std::vector<std::string> argo_clusters = {};          // likewise, as --argo-cluster takes them
    Value kubernetes_version = {};                        // as it is spelled; Null: not said
    std::vector<Value> layers = {};                       // chart values: domains, then `values`
};

// Of all that are listed, in that order.
std::vector<std::string> cluster_names(const SourceTree& tree, const LoadOptions& options);

// The cluster to render for. Without the file it has whatever name `--cluster` gives.
Cluster load_cluster(const SourceTree& tree, const LoadOptions& options, SourceMap& sources,
                     Diagnostics& diagnostics);

// What the file says of engines, where the flags do not.
void give_facts(const Cluster& cluster, LoadOptions& options);

}  // namespace renderer
