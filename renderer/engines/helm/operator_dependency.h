// The operator's chart as a dependency of an umbrella chart, which installs it and objects of its
// own. The operator's values are below its alias, or its name, in the values of the umbrella chart.
// The operator's own objects are not needed here, so helm is given an empty chart in its place.
// Sources: helm pkg/chartutil/dependencies.go (conditions, tags, aliases),
// https://helm.sh/docs/helm/helm_dependency (Chart.lock, charts/).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/engines/helm/chart_source.h"
#include "renderer/repo/source_tree.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

// One level of dependencies: the values of a chart are a key in the values of its parent.
struct DependencyStep {
    std::string key = {};                // its alias, or its name
    std::string condition = {};          // as spelled: value paths, separated by commas
    std::vector<std::string> tags = {};  // one of them must be true
    std::string values_file = {};        // its own defaults, "" if they are not in the tree
};

struct OperatorDependency {
    // From the umbrella chart to the operator's; at least one.
    std::vector<DependencyStep> steps = {};
    std::string version = {};  // of the copy in the tree, else of Chart.lock, else as spelled
};

// True if the Chart.yaml is that of the operator's own chart.
bool is_operator_itself(const Value& chart);

// True if the release installs the operator's own chart, or a copy of it in the tree.
bool installs_operator_alone(const repo::SourceTree& tree, const ChartRelease& release);

// Returns the operator dependencies of the chart in `dir` and of the charts in the tree that it
// depends on. Paths must not leave `root`.
std::vector<OperatorDependency> operator_dependencies(const repo::SourceTree& tree,
                                                      const std::string& root,
                                                      const std::string& dir);

// Returns the values of the operator. `layers`: the values of the umbrella chart in rising
// precedence, including its defaults. The result has as many layers, on top of one with the
// defaults of each step. Returns nothing if these values disable the dependency.
std::optional<std::vector<Value>> operator_values(const repo::SourceTree& tree,
                                                  const OperatorDependency& dependency,
                                                  const std::vector<Value>& layers,
                                                  SourceMap& sources);

// Replaces every copy of the operator's chart within `chart` by an empty chart, and adds one where
// a chart depends on it and lacks it. Its helpers and defaults are kept if they are available;
// other archives are not opened. Sets `operator_keys`.
void replace_operator(ChartSource& chart);

// Empties the chart if it is the operator's own, and returns whether it is.
bool empty_operator(ChartSource& chart);

// For a chart with `operator_keys`: whether it renders any objects of its own, and whether one of
// its own files, or a value that is not the operator's, matters.
bool makes_objects(const ChartSource& chart);
bool has_own_matter(const ChartSource& chart, const std::vector<Value>& values,
                    const repo::TextTest& matters);

}  // namespace renderer::engines
