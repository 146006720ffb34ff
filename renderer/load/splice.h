// Small edits of documents that are not ours, found through the positions of the tree that was read
// from them. Refuses (no value) whenever the bytes at a position are not plainly the scalar or map
// that the tree says, for example behind an alias, an anchor or a tag.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"
#include "renderer/core/source_map.h"

namespace renderer {

// Where a document stands and what was read from it.
struct Spliced {
    const SourceMap& sources;
    SourceId source;
    RawDocument range;
    const Value& root;
};

// Another text for a scalar; keeps its quotes.
std::optional<Edit> replace_scalar(const Spliced& document, const Value& scalar,
                                   std::string_view replacement);

// A first member `key: value` in front of a map's others: a line of its own in block style, with
// the line end of its neighbour.
std::optional<Edit> insert_member(const Spliced& document, const Value& map, std::string_view key,
                                  std::string_view value);

// Replaces the member if the map has it, else inserts it.
std::optional<Edit> set_member(const Spliced& document, const Value& map, std::string_view key,
                               std::string_view value);

// The line `key: value` in front of the line of this position, with its indentation.
Edit insert_line(const SourceMap& sources, SourceId source, Pos place, std::string_view key,
                 std::string_view value);

// Sorts them. Two edits of one place are an error: they come from aliases that several documents
// share.
void check_edits(const SourceMap& sources, std::span<Edit> edits, Diagnostics& diagnostics);

}  // namespace renderer
