// Finds the documents of a stream and, without parsing them, the names of their Kubernetes objects:
// one pass over the bytes that reads the top-level `apiVersion`, `kind` and
// `metadata.{name,namespace}` of a document in plain block style. Other documents (flow style at
// the top, anchors, tags, quoted or multi-line keys, duplicate keys, odd indentation, tabs, …) get
// `plain = false`, and the caller uses read_yaml. The scanner must agree with read_yaml on every
// plain document (differential fuzz test).
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/core/yaml_reader.h"

namespace renderer::inline core {

struct ScannedDocument {
    RawDocument range;
    bool blank = false;  // only white space and comments
    bool plain = false;  // the fields below are what read_yaml would find
    Value api_version, kind, name,
        ns;  // Strings borrowed from the source's text with their Pos; Null if absent
    bool mentions_tailscale =
        false;  // the bytes contain "tailscale"; if not, classify can skip the document
    // Plain, but its lines are not indented like block-style maps and lists: either text that
    // continues over several lines, or not YAML. Only read_yaml can tell.
    bool oddly_indented = false;
    // Where a `namespace:` line can be spliced in (start of the line after `metadata:`) and with
    // what indentation; 0 when metadata is missing or not plain.
    std::size_t metadata_insert = 0;
    std::size_t metadata_indent = 0;
};

// Finds the borders of documents as Helm, kyaml and the Kubernetes decoder do. A separator is a
// line that starts with `---` and is otherwise blank or a comment. Text glued to it
// (`---apiVersion: v1`) belongs to the document. A leading BOM and `%` directives are skipped;
// `...` ends a document. A separator inside a block scalar is content only if it is indented.
std::vector<ScannedDocument> scan_documents(const SourceMap& sources, SourceId source);

// Cuts a stream at up to `count - 1` separators, for scanning on several threads. The documents of
// the pieces, concatenated, are those of the stream.
std::vector<RawDocument> split_stream(std::string_view text, std::size_t count);

std::vector<ScannedDocument> scan_documents(const SourceMap& sources, SourceId source,
                                            RawDocument piece);

}  // namespace renderer::inline core
