// The data that a run has read: bundles, files, documents with their namespaces and positions, and
// the units that apply them. load.h fills it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"
#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/engines/applied_unit.h"
#include "renderer/engines/bundle.h"
#include "renderer/engines/helm/unread_values.h"
#include "renderer/engines/hooks.h"
#include "renderer/engines/standing.h"
#include "renderer/load/locked_port.h"
#include "renderer/repo/fetch/fetched_chart.h"

namespace renderer::load {

// Of the sums by which inventories tell whether values changed.
inline constexpr std::size_t kDigestLength = 16;

// A file in the output: written whole or with edits, if it has documents, or copied byte for byte.
struct SourceFile {
    SourceId source = 0;
    std::uint32_t bundle = 0;
    std::string path;  // relative to the bundle's directory
    bool reachable =
        true;  // false: facts only (--context, directories that the applier does not see)
    bool copied_whole = false;  // belongs to a bundle that is not rendered
    bool is_unlisted = false;   // copied as it is, because no kustomization lists it
};

struct ListItem {
    RawDocument range;
    bool is_local = false;  // never applied: a fact, left as it is
    bool is_ours = false;   // made by an earlier run; this run replaces it
};

// The input of a KRM function. Items are documents of `source`, with their dashes blanked.
struct ResourceList {
    SourceId source = 0;
    Value root;  // unchanged
    std::vector<ListItem> items;
    std::size_t dash_column = 0;
    bool is_package = false;  // items are files of a package, and the output replaces them
    std::string output;       // the package's directory for generated objects
};

// The operator's chart, installed by an object of an engine.
struct OperatorRelease {
    Pos pos;
    std::string object;       // "HelmRelease/tailscale/tailscale-operator"
    std::string ns;           // "" if the object does not set it
    std::string version;      // as spelled, possibly a range
    std::string unit;         // path of the units down to the release; "" if none applies it
    std::string kept = {};    // why its engine keeps it as it is; "" = it does not
    std::string digest = {};  // of its values that matter, kDigestLength digits
    std::uint32_t document =
        kNone;  // index of the document that our installation replaces; kNone: it stays
};

// Output of the user's kustomize or helm, or of a ResourceSet. An egress Service in it must be
// edited in the file that it is from.
struct BuiltSource {
    SourceId source = 0;
    bool is_chart = false;         // printed by helm, so the file is not known
    bool is_set = false;           // made by a ResourceSet, not by a program
    std::vector<Document> egress;  // ExternalName Services of the files it was built from
};

struct Loaded {
    SourceMap sources;
    std::string root;                      // normal path of the tree; "" for a stream
    std::vector<SourceFile> files;         // sorted by (bundle, path)
    std::vector<engines::Bundle> bundles;  // sorted by dir; at least one
    std::vector<Document> documents;       // sorted by (bundle, file, position)
    std::vector<Object> generated_inputs;  // made by secretGenerator and configMapGenerator
    std::vector<Edit> edits;               // namespaces that bundles and kustomizations set
    // Chart values in rising precedence, with the keys of the operator's chart plus `tailrender`.
    // Each value keeps its Pos.
    std::vector<Value> values;
    // Values of the operator's release that stays installed. `values` has those of them that change
    // what is rendered; of all others only the keys are checked.
    std::vector<Value> release_values;
    // Values of the operator's chart that cannot be read, and that matter if anything is rendered.
    std::vector<engines::UnreadValues> unread_values;
    // The files of releases that their engine rejects.
    std::set<std::string, std::less<>> refused_files = {};
    std::optional<engines::OAuthEnvFile> oauth_env;
    std::vector<LockedPort> locked_ports;          // of all clusters, in the order of the file
    std::optional<std::uint32_t> operator_bundle;  // index of the bundle whose fleet.yaml, or a
                                                   // release in it, names the chart
    std::optional<OperatorRelease> operator_release;
    std::string cluster;  // its name; "" if it has none
    // As spelled in --kubernetes-version or for the cluster; Null: neither.
    Value kubernetes_version;
    engines::NamedPath policy_file = {};  // that .tailrender.yaml names; "" if it names none
    bool cluster_level = false;  // a .tailrender.yaml exists; output goes to DIR/<cluster>/
    bool is_stream = false;
    bool keeps_custom_resources = false;        // the output replaces the input
    std::optional<ResourceList> resource_list;  // krm
    std::size_t skipped_files = 0;              // files without Kubernetes documents
    // Number of exposures by charts or operators that were reported.
    std::size_t hidden_exposures = 0;
    std::vector<std::shared_ptr<const engines::AppliedUnit>>
        units;  // by source; empty: no engine was found
    engines::Standings standings;
    std::vector<engines::UsedVariable> undecided;  // may decide what is an input
    // Why engines leave documents as they are; Document::kept is an index.
    std::vector<std::string> kept_reasons;
    std::vector<engines::LeftAlone> left_alone;
    // Files that cannot be parsed, and do not mention Tailscale.
    std::vector<SourceId> unjudged;
    std::vector<BuiltSource> built;
    std::string kustomize_version;  // "" if kustomize built nothing
    std::string helm_version;       // "" if helm rendered nothing
    std::vector<repo::FetchedChart> fetched_charts;
    bool only_generated = false;  // documents are read, but never written
    // Mistakes that matter only when the output is applied are also errors.
    bool lints = false;
    // With only_generated: makes the edits that are `in_source` anyway.
    bool fixes_sources = false;
    std::size_t input_bytes = 0;
};

// Returns the cluster's name as it is in lines of the lock file.
std::string_view own_cluster(const Loaded& loaded);

// Returns the unit that applies a source; never null.
std::shared_ptr<const engines::AppliedUnit> unit_of(const Loaded& loaded, SourceId source);

// Returns what takes the document, which was loaded, for a hook.
engines::HookReaders hook_readers_of(const Loaded& loaded, const Document& document);

// Returns why an engine leaves the document as it is in the cluster, or "" if no engine does.
std::string_view kept_reason(const Loaded& loaded, const Document& document);

// Returns the tree of a document, also if it was only scanned.
Value read_document(const Loaded& loaded, const Document& document, Diagnostics& diagnostics);

// Returns the bytes of a document before any edit.
std::string_view document_text(const Loaded& loaded, const Document& document);

}  // namespace renderer::load
