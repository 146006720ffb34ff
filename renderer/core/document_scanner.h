// Finds the documents of a stream and, without parsing them, what a Kubernetes object is called: a
// pass over bytes that reads the top-level `apiVersion`, `kind` and `metadata.{name,namespace}` of
// a document in plain block style. Whatever is not plain (flow style at the top, anchors, tags,
// quoted or multi-line keys, duplicate keys, odd indentation, tabs, …) is answered with `plain =
// false`: the caller then uses read_yaml. It must agree with read_yaml on every document that it
// calls plain (differential fuzz test).
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/core/yaml_reader.h"

namespace renderer {

struct ScannedDocument {
    RawDocument range;
    bool blank = false;  // only white space and comments
    bool plain = false;  // the fields below are what read_yaml would find
    Value api_version, kind, name,
        ns;  // String borrowed from the source's text with its Pos, or Null when absent
    bool mentions_tailscale =
        false;  // the bytes contain "tailscale" (a cheap negative for classify)
    // Plain, but its lines are not indented as maps and lists in block style are: text that goes on
    // over several lines, or no YAML. Only read_yaml can tell.
    bool oddly_indented = false;
    // Where a `namespace:` line can be spliced in (start of the line after `metadata:`) and with
    // what indentation; 0 when metadata is missing or not plain.
    std::size_t metadata_insert = 0;
    std::size_t metadata_indent = 0;
};

// Borders as in gitops-contracts of Helm, kyaml and the Kubernetes decoder: a line that starts with
// `---` and is otherwise blank or a comment; text glued to it (`---apiVersion: v1`) belongs to the
// document; a leading BOM and
// `%` directives are skipped; `...` ends a document. A separator inside a block scalar is content
// only if indented.
std::vector<ScannedDocument> scan_documents(const SourceMap& sources, SourceId source);

// Cuts a stream at up to `count - 1` separators, for scanning on several threads: what the pieces
// hold, one behind the other, is what the whole holds.
std::vector<RawDocument> split_stream(std::string_view text, std::size_t count);

std::vector<ScannedDocument> scan_documents(const SourceMap& sources, SourceId source,
                                            RawDocument piece);

}  // namespace renderer
