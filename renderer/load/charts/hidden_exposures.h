// Exposures that no Service and no Ingress of the tree says: charts make them of their values, and
// other operators of their own resources. What is not rendered is a warning.
#pragma once

#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/load/charts/render_charts.h"
#include "renderer/load/inputs.h"
#include "renderer/load/load.h"
#include "renderer/load/tree/source_tree.h"

namespace renderer {

// Asks the documents that were loaded, and the files that charts are made of, which it reads and
// adds to the sources. Sets `hidden_exposures`.
void warn_hidden_exposures(const SourceTree& tree, const std::vector<ChartFile>& files,
                           const RenderedCharts& rendered, unsigned threads, Loaded& loaded,
                           Diagnostics& diagnostics);

}  // namespace renderer
