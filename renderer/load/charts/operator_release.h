// The operator's chart where an engine installs it: its values are the settings of what is
// rendered, below all others, and its namespace is ours.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "renderer/core/diagnostics.h"
#include "renderer/load/inputs.h"
#include "renderer/load/load.h"
#include "renderer/load/tree/source_tree.h"

namespace renderer {

// Objects that install a chart, and which: what an Application has several of.
using InstalledCharts = std::set<std::pair<std::string, std::string>>;

// Looks among the loaded documents, the releases of the selection and its kustomizations. Sets
// `operator_release`, and adds its values as the lowest layers. In a complete tree the object gives
// way to what we install, or is an error where it is not one that installs this chart alone.
// Returns those of the operator.
InstalledCharts find_operator_release(const SourceTree& tree, const Selection& selection,
                                      const LoadOptions& options, Loaded& loaded,
                                      Diagnostics& diagnostics);

}  // namespace renderer
