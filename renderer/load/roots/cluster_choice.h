// The one cluster of several that is rendered.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/load/roots/build_unit.h"
#include "renderer/load/roots/gitops_tree.h"

namespace renderer {

// A cluster's name, or the last part of it.
bool is_cluster(std::string_view cluster, std::string_view name);

// A cluster has one object of a name: Applications of one name, which nothing applies, in several
// folders are of several clusters, called by these folders. `top`: of the repository.
void tell_clusters_apart(const std::string& top, std::vector<BuildUnit>& roots);

// Of Kustomizations that nothing applies: where two have one name and no cluster, the folders of
// all such are clusters.
void name_clusters(const std::string& top, std::vector<BuildUnit>& roots);

// Marks the units of other clusters. Of the options `cluster` (a name that units have, or its last
// part, "" when none was asked for: several that hold inputs are an error then) and
// `skip_suspended` are asked.
void choose_cluster(GitOpsTree& repository, const LoadOptions& options,
                    std::vector<BuildUnit>& units, Diagnostics& diagnostics);

}  // namespace renderer
