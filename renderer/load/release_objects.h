// What the documents of a tree say of the release of a chart: the chart, and the values.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "renderer/core/document.h"
#include "renderer/core/value.h"
#include "renderer/engines/helm/chart_release.h"
#include "renderer/engines/helm/chart_values.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/source_tree.h"

namespace renderer {

// What an object installs, with what other documents say of it: the HelmChartConfig of a HelmChart,
// the OCIRepository that a HelmRelease refers to.
// `root`: the top of the repository, which is not among the GitRepositories `foreign_sources`.
std::vector<ChartRelease> releases_of(const Document& document, const Value& object,
                                      const std::string& root,
                                      const std::set<std::string>& foreign_sources, Loaded& loaded);

// Its values, also from ConfigMaps, which are looked for among the documents. Secrets are only read
// for the operator's chart, where they are in plain text, and without its credentials.
ChartValues chart_values(const SourceTree& tree, const std::string& root,
                         const ChartRelease& release, Loaded& loaded);

}  // namespace renderer
