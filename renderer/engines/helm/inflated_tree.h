// A tree in which charts of kustomizations (`helmCharts`) that are at hand are files: what the
// user's helm makes of them is listed as a resource, as kustomize does with --enable-helm. The
// kustomization's namespace is given to helm. Before 5.8 kustomize gives it to the objects, too;
// since then not, and a kustomization without one takes that of the one above for helm. Source:
// kustomize v5.8.1 api/internal/builtins/HelmChartInflationGenerator.go, NamespaceTransformer.go,
// api/internal/target/kusttarget.go (accumulateDirectory).
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

namespace renderer {

// How a chart of a kustomization is called where several are.
std::string chart_of_kustomization(std::string_view path, std::string_view chart);

// Where kustomize looks for a chart before it fetches it, or the same version of it as an earlier
// kustomize fetched it; "" when it is not there.
std::string chart_home_dir(const SourceTree& tree, const Value& kustomization,
                           const std::string& dir, const ChartRelease& chart);

class InflatedTree {
public:
    // `files`: of a build in `root`. `version`: of kustomize. Tree and reader outlive it. Charts of
    // which nothing `matters` stay what they are, and so does the operator's own.
    InflatedTree(const SourceTree& tree, KustomizationReader& reader, const BuildFiles& files,
                 const std::string& root, SourceMap& sources, std::string_view version,
                 ChartTemplates& charts, bool (*matters)(std::string_view));

    [[nodiscard]] bool has_charts() const { return overlay_ != nullptr; }
    [[nodiscard]] const SourceTree& tree() const { return *overlay_; }
    [[nodiscard]] KustomizationReader& reader() const { return *reader_; }

    std::set<std::string> rendered;    // chart_of_kustomization of each
    std::set<std::string> values;      // files that were given to them, and their directories
    std::vector<Diagnostic> failures;  // why others were not rendered, as severity_of says

private:
    std::unique_ptr<OverlayTree> overlay_;
    std::unique_ptr<KustomizationReader> reader_;
};

}  // namespace renderer
