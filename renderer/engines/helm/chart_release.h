// A chart that an engine installs, as declared by a HelmRelease of Flux, an Application of Argo CD,
// a HelmChart of k3s, or an entry of `helmCharts` in a kustomization. The folder of each engine
// reads its own objects.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/pos.h"
#include "renderer/core/value.h"
#include "renderer/engines/applied_unit.h"
#include "renderer/engines/helm/unread_values.h"
#include "renderer/repo/fetch/chart_address.h"

namespace renderer::engines {

constexpr std::string_view kOperatorChart = "tailscale-operator";

// The reason for values files of a chart that is not in this tree.
constexpr std::string_view kOfChart = "a file of the chart, which is not in this tree";

// A key of a ConfigMap or Secret that contains values, or one value.
struct ValuesSource {
    std::string name, key;
    std::string target;  // path of the one value; "" = the text is YAML
    bool is_optional = false;
    bool is_secret = false;
    Pos pos = {};
};

struct ValuesFile {
    std::string path;  // as spelled
    Pos pos = {};
    std::string elsewhere = {};  // why it is not a file of this tree; "" = it is
};

// A file whose content is one value.
struct TextFile {
    std::string target;  // the path of the value
    std::string path;
    Pos pos = {};
};

struct ChartRelease {
    Pos pos = {};
    std::string object = {};            // "HelmRelease/tailscale/tailscale-operator"
    std::string object_ns = {};         // namespace of that object; "" if it is not known
    std::string name = {};              // of the release
    std::string chart = {};             // a name, a path or an address; for a chartRef, its name
    bool is_reference = false;          // `chart` is the name of an object that names the chart
    std::string dir = {};               // of the chart, if it is in the tree
    std::string archive = {};           // the chart itself, if the object contains it
    repo::ChartAddress address = {};    // to fetch the chart from, if it is not available locally
    std::string source = {};            // GitRepository of Flux that `chart` is a path in
    std::string repository = {};        // HelmRepository of Flux that has `chart`
    std::string source_namespace = {};  // of the object that `chart` refers to
    std::string version = {};           // as spelled; may be a range
    std::string ns = {};                // where it is installed; "" if the object does not name it
    std::vector<Value> values = {};     // inline, in rising precedence
    std::vector<ValuesSource> values_from = {};  // below `values`
    std::vector<ValuesFile> values_files = {};   // below `values_from`
    std::vector<ValuesFile> later_files = {};    // above `values`
    std::vector<TextFile> text_files = {};       // above `later_files`
    std::string files_dir = {};                  // base of relative paths of files
    bool needs_files = false;                    // the engine fails if a file is missing
    bool may_lack_files = false;                 // missing files are explicitly allowed
    bool is_operator = false;                    // it is the chart of the operator
    std::vector<UnreadValues> unread = {};       // `below`: an index in `values`
    Diagnostics warnings = {};                   // found while reading
    bool replaces_defaults = false;  // `values_files` replace the values.yaml of the chart
    // Flux packs the chart again only if its version changes.
    bool is_packed_by_version = false;
    bool with_crds = true;
    bool with_hooks = false;
    bool is_suspended = false;
    std::shared_ptr<const AppliedUnit> unit = no_unit();  // that applies the object
    std::string kept = {};     // why the engine keeps it as it is; "" = it does not
    std::string unknown = {};  // why the result cannot be known here; "" = it can

    [[nodiscard]] ChartRelease clone() const;
};

// True for the directory of the operator's chart in Tailscale's repository.
bool is_path_to_operator(std::string_view path);

// True for a name, path, address or archive of the operator's chart.
bool is_operator_chart(std::string_view chart);

// True if the name of the chart is a typo of the operator's.
bool is_mistyped_operator_chart(std::string_view chart);

// Refuses a chart with such a name.
Finding refuse_mistyped_chart(std::string_view chart, Pos pos, Diagnostics& diagnostics);

}  // namespace renderer::engines
