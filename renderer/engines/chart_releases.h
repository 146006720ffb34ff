// The charts that the objects of engines install.
#pragma once

#include <string_view>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/engines/helm/chart_release.h"

namespace renderer::engines {

// Returns what the object installs, nothing for other kinds of objects. `ns`: the object's own
// namespace. `config`: the HelmChartConfig of a HelmChart, with the same namespace and name.
// `sources` has the text of the object; strings with values are added to it.
std::vector<ChartRelease> chart_releases(const Value& object, std::string_view ns,
                                         SourceMap& sources, const Value* config = nullptr);

// True if the object installs the operator's chart. Its text need not be known.
bool installs_operator(const Value& object);

// True if one of these releases is of the operator's chart.
bool installs_operator(const std::vector<ChartRelease>& releases);

}  // namespace renderer::engines
