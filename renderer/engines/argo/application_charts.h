// Charts of Argo CD. Source: argo-cd docs/user-guide/helm.md.
#pragma once

#include <string_view>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/engines/helm/chart_release.h"

namespace renderer::engines {

// Returns the sources of an Application that are in effect: `sourceHydrator` (its dry source) takes
// precedence over `sources`, and `sources` over `source`.
std::vector<const Value*> application_sources(const Value& application);

// Returns the chart that a source names; "" for other paths than that of the operator's chart in
// Tailscale's repository.
std::string_view chart_of_source(const Value& source);

// Returns the release of one source of an Application in the namespace, which may be a chart in the
// tree.
ChartRelease chart_release_of_source(const Value& application, std::string_view ns,
                                     const Value& source, SourceMap& sources);

}  // namespace renderer::engines
