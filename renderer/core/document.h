// The three things that flow through the stages: a Document came in as bytes, an Object is made by
// us, an Edit changes one scalar or inserts one line of a document that is not ours. Bookkeeping
// lives here, never in annotations.
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

namespace renderer {

constexpr std::uint32_t kNone = 0xffffffff;

struct Document {
    SourceId source = 0;
    RawDocument range;           // bytes in the source; of the whole list for an item of a List
    std::uint32_t bundle = 0;    // index into Loaded::bundles
    std::uint32_t list = kNone;  // index of the List document that this item is in
    bool reachable = true;  // false: facts only (--context, bootstrap/, …): read but never written
    std::uint32_t kept = kNone;  // index of the reason why an engine leaves it as it is
    bool hook = false;           // helm runs it on its own, outside of the release: never a parent
    // What it is called. Strings (borrowed or owned) with their Pos; Null when the document has no
    // such key.
    Value api_version, kind, name, ns;
    std::string effective_namespace;  // explicit, or by kustomization/bundle/flag; empty =
                                      // cluster-scoped or unknown
    Value root;  // the whole tree; Null for a foreign document that was only scanned
    bool mentions_tailscale = false;
    bool oddly_indented = false;  // only scanned, and perhaps no YAML (document_scanner.h)

    [[nodiscard]] std::string object_name() const;  // "Kind/namespace/name" or "Kind/name"
};

inline Report about(const Document& document, Diagnostics& diagnostics) {
    return {document.object_name(), diagnostics};
}

// Why an object of ours exists.
struct Origin {
    Pos pos;                // the parent's `kind`/first byte: printed as file:line
    std::string parent;     // "Service/shop/web"
    std::string_view rule;  // static text: "l3-ingress: annotation tailscale.com/expose"
};

inline Report about(const Origin& origin, Diagnostics& diagnostics) {
    return {origin.parent, diagnostics};
}

struct Object {
    Value root;
    std::string text = {};  // as YAML, when it has been written: `root` is no more than its name
    Origin origin;
    std::uint32_t bundle = 0;    // which bundle's directory it goes to
    std::string_view generator;  // the feature, for people: "l3-ingress"

    [[nodiscard]] std::string_view api_version() const { return text_of(root, {"apiVersion"}); }
    [[nodiscard]] std::string_view kind() const { return text_of(root, {"kind"}); }
    [[nodiscard]] std::string_view name() const { return text_of(root, {"metadata", "name"}); }
    // Empty: cluster-scoped.
    [[nodiscard]] std::string_view ns() const { return text_of(root, {"metadata", "namespace"}); }
    [[nodiscard]] std::string object_name() const;
};

// Replace bytes [begin, end) of the source's text. Edits of one source never overlap.
struct Edit {
    SourceId source = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string replacement;
    std::string reason;  // for the report: "namespace shop from bundle apps"
    // What a source has to say itself where nothing of it is written.
    bool in_source = false;
};

// "Kind/namespace/name", or "Kind/name" without a namespace.
std::string object_name(std::string_view kind, std::string_view ns, std::string_view name);

}  // namespace renderer
