// A chart that an engine installs, as its object says it: HelmRelease of Flux, Application of Argo
// CD, HelmChart of k3s, or an entry of `helmCharts` in a kustomization. Sources:
// fluxcd/helm-controller api/v2/helmrelease_types.go, argo-cd docs/user-guide/helm.md,
// k3s-io/helm-controller pkg/apis/helm.cattle.io/v1/types.go, kustomize
// api/types/helmchartargs.go.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/pos.h"
#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/engines/applied_unit.h"
#include "renderer/engines/helm/unread_values.h"
#include "renderer/repo/fetch/chart_address.h"

namespace renderer {

constexpr std::string_view kOperatorChart = "tailscale-operator";

// Why a values file is not in this tree.
constexpr std::string_view kOfChart = "a file of the chart, which is not in this tree";

// A key of a ConfigMap or Secret that holds values, or one value.
struct ValuesSource {
    std::string name, key;
    std::string target;  // where the one value belongs; "" = the text is YAML
    bool is_optional = false;
    bool is_secret = false;
    Pos pos = {};
};

struct ValuesFile {
    std::string path;  // as spelled
    Pos pos = {};
    std::string elsewhere = {};  // why a file of this tree is not meant; "" = one is
};

// A file, all of which is one value.
struct TextFile {
    std::string target;  // the path of the value
    std::string path;
    Pos pos = {};
};

struct ChartRelease {
    Pos pos = {};
    std::string object = {};            // "HelmRelease/tailscale/tailscale-operator"
    std::string name = {};              // of the release
    std::string chart = {};             // a name, a path or an address; of chartRef the name
    bool is_reference = false;          // `chart` is the name of an object that says which
    std::string dir = {};               // of the chart, when it is in the tree
    std::string archive = {};           // the chart itself, which the object holds
    ChartAddress address = {};          // of the chart, when it is not at hand
    std::string source = {};            // the GitRepository of Flux that `chart` is a path in
    std::string repository = {};        // the HelmRepository of Flux that `chart` is in
    std::string source_namespace = {};  // of the object that `chart` refers to
    std::string version = {};           // as spelled, perhaps a range
    std::string ns = {};                // of what is installed; "" when the object does not say
    std::vector<Value> values = {};     // that it says itself, in rising precedence
    std::vector<ValuesSource> values_from = {};  // below them
    std::vector<ValuesFile> values_files = {};   // below these
    std::vector<ValuesFile> later_files = {};    // above all of them
    std::vector<TextFile> text_files = {};       // above these
    std::string files_dir = {};                  // that the files are relative to
    bool needs_files = false;                    // one that is not there is an error to the engine
    bool may_lack_files = false;                 // it says that one need not be there
    bool is_operator = false;                    // the chart is the operator's
    std::vector<UnreadValues> unread = {};       // `below`: among `values`
    Diagnostics warnings = {};                   // of what was read
    bool replaces_defaults = false;              // by the files, the chart's own values.yaml
    bool with_crds = true;
    bool with_hooks = false;
    bool is_suspended = false;
    std::shared_ptr<const AppliedUnit> unit = no_unit();  // that applies the object
    std::string kept = {};     // why the engine leaves it as it is; "" = it does not
    std::string unknown = {};  // what else makes the result, and is not known here; "" = nothing

    [[nodiscard]] ChartRelease clone() const;
};

// A name, a path, an address or an archive of the operator's chart.
bool is_operator_chart(std::string_view chart);

// Of an Application, those that count: `sourceHydrator` (the source that manifests are made of)
// beats `sources` beats `source`.
std::vector<const Value*> application_sources(const Value& application);

// What the object installs; none for other objects. `ns`: its own namespace. `config`: the
// HelmChartConfig of a HelmChart, of the same namespace and name. Texts with values are added to
// the sources.
std::vector<ChartRelease> chart_releases(const Value& object, std::string_view ns,
                                         SourceMap& sources, const Value* config = nullptr);

// Of one source of an Application, which may be a chart in the tree.
ChartRelease chart_release_of_source(const Value& application, const Value& source,
                                     SourceMap& sources);

// `helmCharts` of a kustomization, which is called `path`.
std::vector<ChartRelease> chart_releases_of_kustomization(const Value& kustomization,
                                                          const std::string& path);

}  // namespace renderer
