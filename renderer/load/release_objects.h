// Reads the chart and the values of a chart's release from the documents of a tree.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "renderer/core/document.h"
#include "renderer/core/value.h"
#include "renderer/engines/helm/chart_release.h"
#include "renderer/engines/helm/chart_values.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/source_tree.h"

namespace renderer::load {

// Returns the charts that an object installs, completed from other documents: the HelmChartConfig
// of a HelmChart, the OCIRepository that a HelmRelease refers to. `root` is the top of the
// repository. The GitRepositories in `foreign_sources` are other repositories.
std::vector<engines::ChartRelease> releases_of(const Document& document, const Value& object,
                                               const std::string& root,
                                               const std::set<std::string>& foreign_sources,
                                               Loaded& loaded);

// Returns what is known of a release, or of a set of Flux, that the unit applies.
engines::Standing release_standing(std::string name, engines::Liveness liveness, std::string reason,
                                   const engines::AppliedUnit& unit);

// Notes the version and the values of a release whose chart in the tree Flux packs again only if
// its version changes, whatever its templates are. Source: fluxcd/source-controller
// internal/helm/chart/builder_local.go (Build).
void note_packed_version(const repo::SourceTree& tree, const engines::ChartRelease& release,
                         const engines::ChartValues& values, Loaded& loaded);

// Returns the values of a release, also those from ConfigMaps, which are looked for among the
// documents. A Secret is only read for the operator's chart and if it is plain text, and without
// the operator's credentials.
engines::ChartValues chart_values(const repo::SourceTree& tree, const std::string& root,
                                  const engines::ChartRelease& release, Loaded& loaded);

}  // namespace renderer::load
