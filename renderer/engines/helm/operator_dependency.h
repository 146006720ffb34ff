// The operator's chart as a dependency of another chart, which installs it and objects of its own.
// Its values are below its alias, or its name, in those of the other chart. What it makes is not
// wanted here: helm is given an empty chart in its place. Sources: helm
// pkg/chartutil/dependencies.go (conditions, tags, aliases),
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

namespace renderer {

// One level of dependencies: a chart in the values of the one above it.
struct DependencyStep {
    std::string key = {};                // its alias, or its name
    std::string condition = {};          // as spelled: paths of values, between commas
    std::vector<std::string> tags = {};  // any one that is true will do
    std::string values_file = {};        // its own defaults, "" when they are not in the tree
};

struct OperatorDependency {
    std::vector<DependencyStep> steps = {};  // from the chart down to the operator's: at least one
    std::string version = {};  // what is in charts/, else what Chart.lock says, else as spelled
};

// Of a Chart.yaml: the operator's own chart.
bool is_operator_itself(const Value& chart);

// The operator's own chart, or a copy of it in the tree.
bool installs_operator_alone(const SourceTree& tree, const ChartRelease& release);

// Of the chart in a directory of the tree, and of those in the tree that it depends on. `root`:
// what paths must not leave.
std::vector<OperatorDependency> operator_dependencies(const SourceTree& tree,
                                                      const std::string& root,
                                                      const std::string& dir);

// Values of the operator. `layers`: those of the chart in rising precedence, its own defaults among
// them. There are as many, above one for the defaults of each step. None: with these values the
// dependency is disabled.
std::optional<std::vector<Value>> operator_values(const SourceTree& tree,
                                                  const OperatorDependency& dependency,
                                                  const std::vector<Value>& layers,
                                                  SourceMap& sources);

// Puts an empty chart in the place of the operator's wherever it is in `chart`, or a chart in it
// depends on it and lacks it. Its helpers and defaults stay, where they are at hand; archives are
// not looked into. Sets `operator_keys`.
void replace_operator(ChartSource& chart);

// Whether it is the operator's chart: then nothing is left of it but that.
bool empty_operator(ChartSource& chart);

// Of a chart with `operator_keys`: whether it makes anything, and whether anything of that, or a
// value that is not the operator's, matters.
bool makes_objects(const ChartSource& chart);
bool has_own_matter(const ChartSource& chart, const std::vector<Value>& values,
                    bool (*matters)(std::string_view));

}  // namespace renderer
