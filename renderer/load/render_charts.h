// Releases of charts that clusters apply and that are at hand -> documents, by the user's helm.
// What is not rendered is searched for exposures (hidden_exposures.h).
#pragma once

#include <set>
#include <string>

#include "renderer/core/diagnostics.h"
#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"
#include "renderer/load/operator_release.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/source_tree.h"

namespace renderer {

struct RenderedCharts {
    // "HelmRelease/shop/web": of the releases; and chart_of_kustomization.
    std::set<std::string> objects;
    std::set<std::string> files;  // of the charts, and values
    bool lacks_helm = false;      // there is none on PATH
};

// After the documents were read, to which it adds. Only beside sources that stay as they are: a
// complete tree keeps the release, unless it gives way to what we install: then all that its chart
// makes besides the operator is added.
RenderedCharts render_charts(const SourceTree& tree, Selection& selection,
                             const InstalledOperators& operators, const LoadOptions& options,
                             Loaded& loaded, Diagnostics& diagnostics);

}  // namespace renderer
