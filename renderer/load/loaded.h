// What a run has read: bundles, files, documents with their namespaces and positions, and what is
// known of whatever applies them. Data only; load.h makes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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
#include "renderer/engines/standing.h"
#include "renderer/load/locked_port.h"
#include "renderer/repo/fetch/fetched_chart.h"

namespace renderer {

// A file that reaches the output: with documents (whole, with edits) or copied byte for byte.
struct SourceFile {
    SourceId source = 0;
    std::uint32_t bundle = 0;
    std::string path;  // relative to the bundle's directory
    bool reachable =
        true;  // false: facts only (--context, directories that the applier does not see)
    bool copied_whole = false;  // belongs to a bundle that we do not render
    bool is_unlisted = false;   // copied as it is: no kustomization lists it
};

struct ListItem {
    RawDocument range;
    bool is_local = false;  // never applied: a fact, left as it is
    bool is_ours = false;   // made by an earlier run: replaced by what this one makes
};

// What a KRM function was given. Items are documents of `source`, their dashes blanked.
struct ResourceList {
    SourceId source = 0;
    Value root;  // as it came
    std::vector<ListItem> items;
    std::size_t dash_column = 0;
    bool is_package = false;  // items are files of a package, and the output takes their place
    std::string output;       // directory of a package that holds what we make
};

// The operator's chart, installed by an object of an engine.
struct OperatorRelease {
    Pos pos;
    std::string object;   // "HelmRelease/tailscale/tailscale-operator"
    std::string ns;       // "" when the object does not say
    std::string version;  // as spelled, perhaps a range
    std::uint32_t document =
        kNone;  // index of what is cut out for what we install; kNone: it stays
};

// What the user's kustomize or helm printed. An edit of an egress Service belongs into the file it
// is from.
struct BuiltSource {
    SourceId source = 0;
    bool is_chart = false;         // by helm: the file is not known
    bool is_set = false;           // by no program: a ResourceSet makes it
    std::vector<Document> egress;  // ExternalName Services of the files that it was given
};

struct Loaded {
    SourceMap sources;
    std::vector<SourceFile> files;         // sorted by (bundle, path)
    std::vector<Bundle> bundles;           // sorted by dir; at least one
    std::vector<Document> documents;       // sorted by (bundle, file, position)
    std::vector<Object> generated_inputs;  // made by secretGenerator and configMapGenerator
    std::vector<Edit> edits;               // namespaces that bundle or kustomization give
    // Chart values in rising precedence; keys as in the operator chart plus `tailrender`. Each
    // value keeps its Pos.
    std::vector<Value> values;
    // Of the operator's chart, that are not known and matter if anything is rendered.
    std::vector<UnreadValues> unread_values;
    std::optional<OAuthEnvFile> oauth_env;
    std::vector<LockedPort> locked_ports;          // of all clusters, in the order of the file
    std::optional<std::uint32_t> operator_bundle;  // index of the bundle whose fleet.yaml, or a
                                                   // release in it, names the chart
    std::optional<OperatorRelease> operator_release;
    std::string cluster;         // name; "" for an unnamed one
    Value kubernetes_version;    // as --kubernetes-version or the cluster spell it; Null: neither
    bool cluster_level = false;  // there is a .tailrender.yaml: output goes to DIR/<cluster>/
    bool is_stream = false;
    bool keeps_custom_resources = false;        // the reader's output takes the input's place
    std::optional<ResourceList> resource_list;  // krm
    std::size_t skipped_files = 0;              // no Kubernetes documents in them
    std::size_t hidden_exposures = 0;  // that a chart or an operator makes, said in warnings
    std::vector<std::shared_ptr<const AppliedUnit>>
        units;  // of each source; empty: no engine is here
    Standings standings;
    std::vector<std::string> kept_reasons;  // of documents that an engine leaves as they are
    std::vector<LeftAlone> left_alone;
    // Files that are not understood and do not mention Tailscale.
    std::vector<SourceId> unjudged;
    std::vector<BuiltSource> built;
    std::string kustomize_version;  // its version, "" when nothing was built
    std::string helm_version;       // likewise
    std::vector<FetchedChart> fetched_charts;
    bool only_generated = false;  // documents are read, and never written
    bool lints = false;           // what only matters once it is applied is an error, too
    bool fixes_sources = false;   // but for edits that are `in_source`
    std::size_t input_bytes = 0;
};

// As lines of the lock call it.
std::string_view own_cluster(const Loaded& loaded);

// Of any source; never null.
std::shared_ptr<const AppliedUnit> unit_of(const Loaded& loaded, SourceId source);

// Why an engine leaves it as it is in the cluster, "" when it does not.
std::string_view kept_reason(const Loaded& loaded, const Document& document);

// The whole tree of a document, also of one that was only scanned.
Value read_document(const Loaded& loaded, const Document& document, Diagnostics& diagnostics);

// The bytes of a document, before any edit.
std::string_view document_text(const Loaded& loaded, const Document& document);

}  // namespace renderer
