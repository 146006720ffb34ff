// Finds the operator's chart if an engine installs it. Its values are settings of the rendering,
// with the lowest precedence, and its namespace becomes the operator namespace.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/engines/helm/chart_release.h"
#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/source_tree.h"

namespace renderer::load {

// Pairs of an object that installs a chart, and the chart. An Application may install several.
using InstalledCharts = std::set<std::pair<std::string, std::string>>;

// A chart that installs the operator and other objects. In a complete tree the document that
// installs it is cut out.
struct ReplacedChart {
    engines::ChartRelease release;
    std::uint32_t document = kNone;
};

struct InstalledOperators {
    bool is_any = false;    // the operator may also be a dependency of another chart
    InstalledCharts alone;  // install only the operator's chart; they are not rendered
    std::vector<ReplacedChart> replaced;
    std::set<std::string, std::less<>> variables;  // of the operator's pod, set by chart values
    std::set<std::string> charts;                  // directories of all charts that are installed
    std::set<std::string, std::less<>> elsewhere;  // files that install it in another cluster
};

// Looks for the chart among the loaded documents, the releases of the selection and its
// kustomizations. Sets `operator_release`, and adds the chart's values as the lowest layers. In a
// complete tree our installation replaces the object that installs the chart; it is an error if
// that object installs several charts. Charts with other objects besides the operator's are
// returned in `replaced`.
InstalledOperators find_operator_release(const repo::SourceTree& tree,
                                         const engines::Selection& selection,
                                         const repo::LoadOptions& options, Loaded& loaded,
                                         Diagnostics& diagnostics);

}  // namespace renderer::load
