// Charts of Flux. Source: fluxcd/helm-controller api/v2/helmrelease_types.go.
#pragma once

#include <string_view>

#include "renderer/core/value.h"
#include "renderer/engines/helm/chart_release.h"

namespace renderer::engines {

// Returns what a HelmRelease in the namespace installs.
ChartRelease release_of_helm_release(const Value& object, std::string_view ns);

}  // namespace renderer::engines
