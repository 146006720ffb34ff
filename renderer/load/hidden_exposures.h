// Exposures that no Service and no Ingress of the tree says: charts make them of their values, and
// other operators of their own resources. What is not rendered is a warning.
#pragma once

#include <string>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"
#include "renderer/load/render_charts.h"
#include "renderer/repo/source_tree.h"

namespace renderer {

struct ExposureSources {
    std::vector<ChartFile> files;        // that charts are made of
    std::vector<ExposingPatch> patches;  // that were executed
    RenderedCharts rendered;
    std::string root;           // of the tree; "" for a stream
    bool has_operator = false;  // its chart is installed
};

// Asks the documents that were loaded, and the files, which it reads and adds to the sources. Sets
// `hidden_exposures`. What a patch has put into an object is an error at the patch, and so is a
// patch of what a chart makes, but in a stream.
void warn_hidden_exposures(const SourceTree& tree, const ExposureSources& given, unsigned threads,
                           Loaded& loaded, Diagnostics& diagnostics);

}  // namespace renderer
