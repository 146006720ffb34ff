// Charts of a kustomization. Source: kustomize api/types/helmchartargs.go.
#pragma once

#include <string>
#include <vector>

#include "renderer/core/value.h"
#include "renderer/engines/helm/chart_release.h"

namespace renderer::engines {

// Returns the releases of `helmCharts` in the kustomization at `path`.
std::vector<ChartRelease> chart_releases_of_kustomization(const Value& kustomization,
                                                          const std::string& path);

}  // namespace renderer::engines
