// The files that are going to be read, chosen before any manifest is opened: the bundle and the
// unit of each, whether it is applied, and which namespaces its objects get.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"
#include "renderer/engines/applied_unit.h"
#include "renderer/engines/bundle.h"
#include "renderer/engines/helm/chart_release.h"
#include "renderer/engines/kustomize/exposing_patch.h"
#include "renderer/engines/kustomize/origins.h"
#include "renderer/engines/standing.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

// Where the namespace of an object comes from. The first one that is set counts: `forced`,
// `overwrite`, the namespace of the object, `fallback`.
struct NamespaceRule {
    std::string forced = {};     // fleet.yaml `namespace`
    std::string overwrite = {};  // kustomization `namespace`
    std::string fallback = {};   // fleet.yaml `defaultNamespace`, --namespace
    Pos forced_pos = {};
    bool edits = true;  // false: the file is not changed (streams, --context)

    friend bool operator==(const NamespaceRule&, const NamespaceRule&) = default;
};

struct InputFile {
    std::string path = {};                     // as typed
    std::string bundle_path = {};              // relative to the bundle's directory
    std::optional<std::string> text = {};      // output of a program; none: the file is in the tree
    std::vector<std::string> made_of = {};     // input files of that kustomize build
    std::vector<DocumentOrigin> origins = {};  // of the documents of `text`, for messages
    bool is_chart = false;                     // `text` is output of helm
    bool is_set = false;                       // `text` is made of a ResourceSet
    std::uint32_t bundle = 0;
    std::uint32_t rule = 0;       // index into Selection::rules
    std::uint32_t build = kNone;  // index into Selection::builds
    Pos pos = {};                 // where a kustomization names it
    std::shared_ptr<const AppliedUnit> unit = no_unit();
    bool reachable = true;
    bool is_unapplied = false;  // nothing in this cluster applies it, so nothing can refer to it
    bool copied_whole = false;
    bool is_unlisted = false;  // the kustomization above it does not list it: only copied
    bool left_alone = false;   // copied whole, as input of a kustomization that is not built
    bool required = false;     // named explicitly, so it has to contain Kubernetes objects
    bool lenient = false;      // not applied: documents that cannot be read are skipped
};

// The name of a generated Secret or ConfigMap. `ns` is its namespace during the build, `hashed` the
// name with its hash, if it gets one.
struct GeneratedName {
    std::string kind, ns, name, hashed;
};

// What one `kustomize build` changes besides its files.
struct Build {
    std::string dir = {};
    std::vector<GeneratedName> generated = {};
};

// A file that is not read as a manifest, but may be a template or values of a chart.
struct ChartFile {
    std::string path = {};
    bool in_chart = false;
    bool is_applied = true;
};

// True for names of values, templates and helpers of charts.
inline bool is_chart_text(std::string_view name) {
    return repo::is_manifest_name(name) || name.ends_with(".tpl");
}

// A values file of a chart in the tree that depends on the operator's.
struct UmbrellaValues {
    std::string chart = {};              // its directory
    std::string path = {};               // of the file
    std::vector<std::string> keys = {};  // to the values of the operator
};

struct Selection {
    std::vector<Bundle> bundles;
    std::vector<InputFile> files;
    std::vector<NamespaceRule> rules;
    std::vector<Build> builds;
    std::vector<Object> generated;
    std::vector<Value> values;              // chart values of bundles
    std::vector<ValuesSource> values_from;  // below `values`, from objects of the cluster
    std::optional<OAuthEnvFile> oauth_env;
    std::optional<std::uint32_t> operator_bundle;
    std::size_t skipped_files = 0;
    std::vector<LeftAlone> left_alone;
    std::vector<std::string> other_languages;    // files that mention Tailscale
    std::vector<std::string> exposing_programs;  // programs, and templates of other tools
    std::vector<std::string> programs;           // scripts and source files that may run helm
    std::vector<UmbrellaValues> umbrella_values;
    std::set<std::string> operators_elsewhere;  // files that install it in clusters with a name
    Diagnostics unlisted;                       // warnings about inputs that are not listed
    std::vector<ChartFile> chart_files;
    std::vector<ExposingPatch> patches;  // of kustomizations that are built
    std::vector<ChartRelease> releases;  // of Applications that clusters apply
    std::vector<ChartRelease> in_fleet;  // of bundles that are copied, with the chart in the tree
    bool has_units = false;              // engines apply this tree, and it is known what
    std::set<std::string> foreign_sources;  // GitRepositories of Flux that are not this repository
    std::set<std::string> rendered_charts;  // by kustomizations
    std::set<std::string> rendered_files;   // files of those charts
    std::string kustomize_version, helm_version;
    Standings standings;
    std::set<std::pair<std::string, std::string>> remotes;  // as in Standings
    std::string unfetched;  // a remote part of a kustomization that is not available; "" = none
    std::map<std::string, std::string> unbuilt_parts;  // by file and by build: what is not built
    // By name and cluster of the unit: the error at which its engine stops.
    std::map<std::pair<std::string, std::string>, std::string> unbuilt;

    std::uint32_t add_rule(const NamespaceRule& rule) {
        if (rules.empty() || rules.back() != rule) {
            rules.push_back(rule);
        }
        return static_cast<std::uint32_t>(rules.size() - 1);
    }
};

}  // namespace renderer::engines
