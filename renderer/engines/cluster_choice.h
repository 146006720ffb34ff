// The one cluster of several that is rendered.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"

namespace renderer {

// A cluster's name, or the last part of it.
bool is_cluster(std::string_view cluster, std::string_view name);

// What someone applies in a folder, and what that applies further.
struct RootFolder {
    struct Name {
        bool is_root = false;
        std::set<std::string> dirs;  // of the units
    };

    std::string folder;                 // normal path
    std::map<std::string, Name> names;  // of objects in one cluster
};

// A cluster has one object of a name: roots of one name in several folders, or with different
// objects of one name below them, are of several clusters. All that is below a directory with roots
// of one cluster is of that cluster, which has the name of the directory that is common to it. The
// names by folder: of all folders if `all` and there are several clusters, else of those that must
// be told apart.
std::map<std::string, std::string> tell_clusters_apart(const std::string& top,
                                                       const std::vector<RootFolder>& roots,
                                                       bool all);

// Marks the units of other clusters. Of the options `cluster` (a name that units have, or a part of
// it that no other has, "" when none was asked for: several that hold inputs are an error then) and
// `skip_suspended` are asked. `is_configured`: .tailrender.yaml has a cluster of that name. False:
// it is not known which cluster is meant.
bool choose_cluster(GitOpsTree& repository, const LoadOptions& options, bool is_configured,
                    std::vector<BuildUnit>& units, Diagnostics& diagnostics);

}  // namespace renderer
