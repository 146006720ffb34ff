// Charts in the tree whose templates create objects of Flux or Argo CD, unless an Application
// installs them. A chart that no object installs is installed by hand, so it is a root.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/kustomize/kustomization.h"

namespace renderer::engines {

// True if patches, components or variables of a unit may change the object in a file that it
// applies.
bool may_change(const GitOpsTree& repository, const BuildUnit& unit, const std::string& file);

std::string chart_file(const BuildUnit& chart);

// Returns the charts that no other one of them applies; of two that apply each other, the first.
// `made`: the files that each chart applies.
std::vector<BuildUnit> topmost_charts(std::vector<BuildUnit> charts,
                                      const std::vector<std::set<std::string>>& made);

// Returns a unit for a chart of the unit `parent` (SIZE_MAX: of none) whose objects are not known.
// `why`: the reason.
BuildUnit unknown_chart(const std::vector<BuildUnit>& units, std::size_t parent,
                        std::string_view chart, std::string why);

// Returns a unit for each HelmRelease of such a chart; `file` of the unit is that of the release.
// A chart without one has a unit with its default values, whose file is Chart.yaml.
std::vector<BuildUnit> charts_of_engines(const GitOpsTree& repository, KustomizationReader& reader);

}  // namespace renderer::engines
