// Renders releases that clusters apply, and whose charts are available, into documents with the
// user's helm. Releases that are not rendered are searched for exposures (hidden_exposures.h).
#pragma once

#include <set>
#include <string>

#include "renderer/core/diagnostics.h"
#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"
#include "renderer/load/operator_release.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/source_tree.h"

namespace renderer::load {

struct RenderedCharts {
    // Objects of the releases, such as "HelmRelease/shop/web", and names by chart_of_kustomization.
    std::set<std::string> objects;
    std::set<std::string> files;  // directories of charts, and files with values
    bool lacks_helm = false;      // helm is not on PATH
};

// Adds documents; call it after the others were read. It renders releases if sources stay as they
// are. A complete tree keeps a release, unless our installation replaces it: then everything that
// its chart creates besides the operator is added.
RenderedCharts render_charts(const repo::SourceTree& tree, engines::Selection& selection,
                             const InstalledOperators& operators, const repo::LoadOptions& options,
                             Loaded& loaded, Diagnostics& diagnostics);

}  // namespace renderer::load
