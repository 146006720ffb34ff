// The values that a release gives to its chart, out of the tree.
#pragma once

#include <vector>

#include "renderer/core/value.h"
#include "renderer/load/charts/chart_release.h"
#include "renderer/load/load.h"
#include "renderer/load/tree/source_tree.h"

namespace renderer {

struct ChartValues {
    std::vector<Value> layers;       // in rising precedence
    std::vector<std::string> files;  // that they were read from
};

// The chart that `chartRef` of a HelmRelease means is that of an OCIRepository in the tree.
void resolve_chart(const Loaded& loaded, ChartRelease& release);

// `root`: what paths of the repository are relative to. What is not in the tree is not missed.
ChartValues chart_values(const SourceTree& tree, const std::string& root,
                         const ChartRelease& release, SourceMap& sources);

// Also from ConfigMaps, which are looked for among the documents. Secrets are not read.
ChartValues chart_values(const SourceTree& tree, const std::string& root,
                         const ChartRelease& release, Loaded& loaded);

}  // namespace renderer
