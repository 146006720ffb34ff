// The operator's chart where an engine installs it: its values are the settings of what is
// rendered, below all others, and its namespace is ours.
#pragma once

#include <cstdint>
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

namespace renderer {

// Objects that install a chart, and which: what an Application has several of.
using InstalledCharts = std::set<std::pair<std::string, std::string>>;

// A chart that installs the operator and objects of its own, of an object that a complete tree cuts
// out.
struct ReplacedChart {
    ChartRelease release;
    std::uint32_t document = kNone;
};

struct InstalledOperators {
    bool is_any = false;    // also as the dependency of another chart
    InstalledCharts alone;  // the operator's chart and nothing else: there is nothing to render
    std::vector<ReplacedChart> replaced;
};

// Looks among the loaded documents, the releases of the selection and its kustomizations. Sets
// `operator_release`, and adds its values as the lowest layers. In a complete tree the object gives
// way to what we install, or is an error where it installs more than one chart. Objects that the
// chart has besides the operator's are `replaced`.
InstalledOperators find_operator_release(const SourceTree& tree, const Selection& selection,
                                         const LoadOptions& options, Loaded& loaded,
                                         Diagnostics& diagnostics);

}  // namespace renderer
