// Charts of k3s. Source: k3s-io/helm-controller pkg/apis/helm.cattle.io/v1/types.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/engines/helm/chart_release.h"

namespace renderer::engines {

// Returns what a HelmChart in the namespace installs, or nothing if its controller ignores it.
// `config`: the HelmChartConfig of the same namespace and name, or null.
std::optional<ChartRelease> release_of_helm_chart(const Value& object, std::string_view ns,
                                                  SourceMap& sources, const Value* config);

// Returns the path that a HelmChart of k3s sets for a FluxInstance in its values, which are a
// string.
std::string instance_path_of(const Value& chart);

}  // namespace renderer::engines
