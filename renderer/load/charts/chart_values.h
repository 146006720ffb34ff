// What the documents and files of a tree say of the release of a chart: the chart, and the values.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "renderer/core/value.h"
#include "renderer/load/charts/chart_release.h"
#include "renderer/load/load.h"
#include "renderer/load/tree/source_tree.h"

namespace renderer {

struct ChartValues {
    std::vector<Value> layers;       // in rising precedence
    std::vector<std::string> files;  // that they were read from
    std::string lacking;             // what the engine would miss, "" = nothing
    // What is not known of them; `below`: among `layers`.
    std::vector<UnreadValues> unread;
    Diagnostics warnings;
};

// What an object installs, with what other documents say of it: the HelmChartConfig of a HelmChart,
// the OCIRepository that a HelmRelease refers to.
// `root`: the top of the repository, which is not among the GitRepositories `foreign_sources`.
std::vector<ChartRelease> releases_of(const Document& document, const Value& object,
                                      const std::string& root,
                                      const std::set<std::string>& foreign_sources, Loaded& loaded);

// `root`: what paths of the repository are relative to. What is not in the tree is left out.
ChartValues chart_values(const SourceTree& tree, const std::string& root,
                         const ChartRelease& release, SourceMap& sources);

// Also from ConfigMaps, which are looked for among the documents. Secrets are only read for the
// operator's chart, where they are in plain text, and without its credentials.
ChartValues chart_values(const SourceTree& tree, const std::string& root,
                         const ChartRelease& release, Loaded& loaded);

}  // namespace renderer
