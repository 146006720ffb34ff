// What is going to be read, decided before any manifest is opened: which files, to which bundle
// they belong, whether an applier would see them and which namespaces they are given.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"
#include "renderer/engines/applied_unit.h"
#include "renderer/engines/bundle.h"
#include "renderer/engines/helm/chart_release.h"
#include "renderer/engines/kustomize/exposing_patch.h"
#include "renderer/engines/kustomize/origins.h"
#include "renderer/engines/standing.h"

namespace renderer {

// Where a document's namespace comes from, strongest first: forced, overwrite, its own, fallback.
struct NamespaceRule {
    std::string forced = {};     // fleet.yaml `namespace`
    std::string overwrite = {};  // kustomization `namespace`
    std::string fallback = {};   // fleet.yaml `defaultNamespace`, --namespace
    Pos forced_pos = {};
    bool edits = true;  // false: nothing is written back (streams, --context)

    friend bool operator==(const NamespaceRule&, const NamespaceRule&) = default;
};

struct InputFile {
    std::string path = {};                  // as typed
    std::string bundle_path = {};           // relative to the bundle's directory
    std::optional<std::string> text = {};   // what a program has printed; none: it is in the tree
    std::vector<std::string> made_of = {};  // the files that kustomize was given
    std::vector<DocumentOrigin> origins = {};  // of the documents of `text`, for messages
    bool is_chart = false;                     // helm has printed it
    bool is_set = false;                       // a ResourceSet makes it
    std::uint32_t bundle = 0;
    std::uint32_t rule = 0;       // index into Selection::rules
    std::uint32_t build = kNone;  // the kustomization build that it is part of
    Pos pos = {};                 // where a kustomization names it
    std::shared_ptr<const AppliedUnit> unit = no_unit();
    bool reachable = true;
    bool copied_whole = false;
    bool is_unlisted = false;  // by a kustomization above it: in the output as it is, and no more
    bool left_alone = false;   // copied whole, for kustomize: what it makes of it is not known
    bool required = false;     // named by someone, so it must hold Kubernetes objects
    bool lenient = false;      // no one applies it: what cannot be understood is left out
};

// A generated Secret or ConfigMap whose name got a hash.
struct HashedName {
    std::string kind, ns, name, hashed;
};

// What one `kustomize build` adds to its files.
struct Build {
    std::string dir = {};
    std::vector<HashedName> hashed = {};
};

// May be values or templates of a chart: no manifest that is read as one.
struct ChartFile {
    std::string path = {};
    bool in_chart = false;
    bool is_applied = true;
};

struct Selection {
    std::vector<Bundle> bundles;
    std::vector<InputFile> files;
    std::vector<NamespaceRule> rules;
    std::vector<Build> builds;
    std::vector<Object> generated;
    std::vector<Value> values;              // chart values that bundles give
    std::vector<ValuesSource> values_from;  // below them, from objects of the cluster
    std::optional<OAuthEnvFile> oauth_env;
    std::optional<std::uint32_t> operator_bundle;
    std::size_t skipped_files = 0;
    std::vector<LeftAlone> left_alone;
    std::vector<std::string> other_languages;  // files that mention Tailscale
    Diagnostics unlisted;                      // warnings of inputs that no kustomization lists
    std::vector<ChartFile> chart_files;
    std::vector<ExposingPatch> patches;     // that kustomize executes
    std::vector<ChartRelease> releases;     // of Applications that clusters apply
    std::vector<ChartRelease> in_fleet;     // in the tree, of bundles that are copied
    bool has_units = false;                 // what engines apply is known
    std::set<std::string> foreign_sources;  // GitRepositories of Flux that are not this one
    std::set<std::string> rendered_charts;  // of kustomizations
    std::set<std::string> rendered_files;   // that they were made of
    std::string kustomize_version, helm_version;
    Standings standings;
    std::string unfetched;  // a remote part of a kustomization that is not at hand; "" = none
    std::map<std::string, std::string> unbuilt_parts;  // by the file, and by the build
    std::map<std::string, std::string> unbuilt;  // units with a mistake for which engines stop

    std::uint32_t add_rule(const NamespaceRule& rule) {
        if (rules.empty() || rules.back() != rule) {
            rules.push_back(rule);
        }
        return static_cast<std::uint32_t>(rules.size() - 1);
    }
};

}  // namespace renderer
