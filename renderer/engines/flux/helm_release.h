// Charts of Flux. Source: fluxcd/helm-controller api/v2/helmrelease_types.go,
// fluxcd/source-controller api/v1/helmchart_types.go.
#pragma once

#include <string_view>

#include "renderer/core/value.h"
#include "renderer/engines/helm/chart_release.h"

namespace renderer::engines {

// Sets the chart and where it is from, as `spec.chart.spec` of a HelmRelease or `spec` of Flux's
// HelmChart names them. `ns`: of that object.
void set_chart(const Value& spec, std::string_view ns, ChartRelease& release);

// Returns what a HelmRelease in the namespace installs.
ChartRelease release_of_helm_release(const Value& object, std::string_view ns);

}  // namespace renderer::engines
