// Directories that only other clusters' `bundles` name. They are not walked: in a repository of
// many clusters, one costs what it costs alone.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/engines/cluster_config.h"
#include "renderer/repo/load_options.h"

namespace renderer::engines {

// True if the pattern of .tailrender.yaml matches the directory or one above it.
bool matches_pattern(const std::string& pattern, std::string_view dir);

class OtherClusters {
public:
    // The cluster must outlive it.
    OtherClusters(const Cluster& cluster, const std::string& root,
                  const repo::LoadOptions& options);

    // True for a directory, relative to the root, that other clusters have, and in which there is
    // nothing that this one has or includes.
    [[nodiscard]] bool have(std::string_view dir) const;

private:
    std::set<std::string_view> dirs_;  // of patterns without wildcards
    std::vector<std::string> globs_;
    std::vector<std::string> own_;   // patterns of this cluster with wildcards
    std::vector<std::string> open_;  // directories below which it has, or may have, any
};

}  // namespace renderer::engines
