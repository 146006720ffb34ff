// The three things that flow through the stages: a Document was read as bytes, an Object is
// generated, an Edit changes one scalar or inserts one line of a foreign document. Bookkeeping is
// kept here, never in annotations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/core/text_of.h"
#include "renderer/core/value.h"
#include "renderer/core/yaml_reader.h"

namespace renderer::inline core {

constexpr std::uint32_t kNone = 0xffffffff;

struct Document {
    SourceId source = 0;
    RawDocument range;         // bytes in the source; for an item of a List those of the whole List
    std::uint32_t bundle = 0;  // index into Loaded::bundles
    std::uint32_t list = kNone;  // index of the List document that this item is in
    bool reachable = true;  // false: facts only (--context, overlays/, …), read, never written
    bool is_unapplied = false;   // not even a fact: it does not exist in this cluster
    std::uint32_t kept = kNone;  // index into Loaded::kept_reasons, for a kept document
    bool is_expanded = false;    // a List, whose items are documents of their own
    bool hook = false;           // helm runs it on its own, outside the release; never a parent
    // Strings (borrowed or owned) with their Pos; Null if the document has no such key.
    Value api_version, kind, name, ns;
    // Explicit, or from kustomization, bundle or flag; "" = cluster-scoped or unknown.
    std::string effective_namespace;
    Value root;  // the whole tree; Null for a foreign document that was only scanned
    bool mentions_tailscale = false;
    bool oddly_indented = false;  // only scanned, and perhaps not YAML (document_scanner.h)

    [[nodiscard]] std::string object_name() const;  // "Kind/namespace/name" or "Kind/name"
};

inline Report about(const Document& document, Diagnostics& diagnostics) {
    return {document.object_name(), diagnostics};
}

// Why a generated object exists.
struct Origin {
    Pos pos;                // of the parent's `kind` or first byte: printed as file:line
    std::string parent;     // "Service/shop/web"
    std::string_view rule;  // static text: "l3-ingress: annotation tailscale.com/expose"
};

inline Report about(const Origin& origin, Diagnostics& diagnostics) {
    return {origin.parent, diagnostics};
}

struct Object {
    Value root;
    // The object as YAML once it is written; `root` then holds only its name.
    std::string text = {};
    Origin origin;
    std::uint32_t bundle = 0;    // the bundle whose directory it is written to
    std::string_view generator;  // the feature, for reports: "l3-ingress"

    [[nodiscard]] std::string_view api_version() const { return text_of(root, {"apiVersion"}); }
    [[nodiscard]] std::string_view kind() const { return text_of(root, {"kind"}); }
    [[nodiscard]] std::string_view name() const { return text_of(root, {"metadata", "name"}); }
    // Empty if cluster-scoped.
    [[nodiscard]] std::string_view ns() const { return text_of(root, {"metadata", "namespace"}); }
    [[nodiscard]] std::string object_name() const;
};

// Replaces bytes [begin, end) of the source's text. Edits of one source never overlap.
struct Edit {
    SourceId source = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string replacement;
    std::string reason;  // for the report: "namespace shop from bundle apps"
    // True if the source must contain this text itself when only generated objects are written;
    // `tailrender fix` writes it there.
    bool in_source = false;
};

// Returns "Kind/namespace/name", or "Kind/name" without a namespace.
std::string object_name(std::string_view kind, std::string_view ns, std::string_view name);
// Returns "Service" for "Service/shop/web".
std::string_view kind_of_name(std::string_view object_name);

}  // namespace renderer::inline core
