// Charts in the tree whose templates create objects of Flux or Argo CD, unless an Application
// installs them. A chart that no object installs is installed by hand, so it is a root.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/kustomize/kustomization.h"

namespace renderer::engines {

std::string chart_file(const BuildUnit& chart);

// Returns a unit for a chart of `parent` whose objects are not known. `why`: the reason.
BuildUnit unknown_chart(const BuildUnit& parent, std::string_view chart, std::string why);

// Returns a unit for each HelmRelease of such a chart; `file` of the unit is that of the release.
// A chart without one has a unit with its default values, whose file is Chart.yaml.
std::vector<BuildUnit> charts_of_engines(const GitOpsTree& repository, KustomizationReader& reader);

}  // namespace renderer::engines
