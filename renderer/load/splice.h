// Small edits of foreign documents, found through the positions of the tree that was parsed from
// them. Returns no value if the bytes at a position are not exactly the scalar or map of the tree,
// for example behind an alias, an anchor or a tag.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"
#include "renderer/core/source_map.h"

namespace renderer::load {

// The position of a document, and the tree that was parsed from it.
struct Spliced {
    const SourceMap& sources;
    SourceId source;
    RawDocument range;
    const Value& root;
};

// Replaces the text of a scalar, and keeps its quotes.
std::optional<Edit> replace_scalar(const Spliced& document, const Value& scalar,
                                   std::string_view replacement);

// Inserts `key: value` as the first member of a map: in block style as a separate line, with the
// line end of the next one.
std::optional<Edit> insert_member(const Spliced& document, const Value& map, std::string_view key,
                                  std::string_view value);

// Replaces the member if the map has it; otherwise inserts it.
std::optional<Edit> set_member(const Spliced& document, const Value& map, std::string_view key,
                               std::string_view value);

// Inserts the line `key: value` before the line at this position, with the same indentation.
Edit insert_line(const SourceMap& sources, SourceId source, Pos place, std::string_view key,
                 std::string_view value);

// Sorts the edits. Two edits of one place are an error: several documents share it through aliases.
void check_edits(const SourceMap& sources, std::span<Edit> edits, Diagnostics& diagnostics);

}  // namespace renderer::load
