// A tree in which the available charts of kustomizations (`helmCharts`) are replaced by files: the
// output of the user's helm is listed as a resource, as kustomize does with --enable-helm. The
// kustomization's namespace is passed to helm. Before 5.8, kustomize also sets it on the objects;
// since 5.8 it does not, and a kustomization without a namespace passes that of its parent to helm.
// Source: kustomize v5.8.1 api/internal/builtins/HelmChartInflationGenerator.go,
// NamespaceTransformer.go, api/internal/target/kusttarget.go (accumulateDirectory).
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/engines/helm/chart_templates.h"
#include "renderer/engines/kustomize/build_files.h"
#include "renderer/engines/kustomize/kustomization.h"
#include "renderer/repo/overlay_tree.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

// Returns the key of a chart in InflatedTree::rendered.
std::string chart_of_kustomization(std::string_view path, std::string_view chart);

// Returns where kustomize looks for a chart before it fetches it, or where an older kustomize put
// that version after fetching it; "" if it is in neither place.
std::string chart_home_dir(const repo::SourceTree& tree, const Value& kustomization,
                           const std::string& dir, const ChartRelease& chart);

class InflatedTree {
public:
    // `files`: those of a build in `root`. `version`: of kustomize. `tree` and `reader` must
    // outlive this object. Charts in which nothing `matters` are left as they are, and so is the
    // operator's own chart.
    InflatedTree(const repo::SourceTree& tree, KustomizationReader& reader, const BuildFiles& files,
                 const std::string& root, SourceMap& sources, std::string_view version,
                 ChartTemplates& charts, const repo::TextTest& matters);

    [[nodiscard]] bool has_charts() const { return overlay_ != nullptr; }
    [[nodiscard]] const repo::SourceTree& tree() const { return *overlay_; }
    [[nodiscard]] KustomizationReader& reader() const { return *reader_; }

    std::set<std::string> rendered;    // keys as chart_of_kustomization returns them
    std::set<std::string> values;      // values files of these charts, and their directories
    std::vector<Diagnostic> failures;  // why others were not rendered, as severity_of rates it

private:
    std::unique_ptr<repo::OverlayTree> overlay_;
    std::unique_ptr<KustomizationReader> reader_;
};

}  // namespace renderer::engines
