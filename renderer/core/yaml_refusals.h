// What the YAML reader says when it refuses a document. Only the words: who looks for the mistakes
// is yaml_reader.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/repeated_keys.h"
#include "renderer/core/source_map.h"
#include "renderer/core/value.h"

namespace renderer {

// `rest` begins with the byte that find_bad_character found.
Diagnostic bad_character(Pos place, std::string_view rest);
// What yaml-cpp calls `message`, in words that name the likely cause.
Diagnostic syntax_error(const SourceMap& sources, Pos place, std::string message);
// `value`: what stands there in place of a text.
Diagnostic wrong_key(const SourceMap& sources, SourceId source, Pos place, const Value& value);
// One for each that is not merged into the map, which begins at `map`; but one for two objects in
// one map, each with an apiVersion and a kind, unless helm's way counts.
std::vector<Diagnostic> duplicate_keys(std::vector<RepeatedKey> repeated, Pos map, bool as_helm);
Diagnostic duplicate_key(std::string_view key, Pos first, Pos second);
Diagnostic second_document(Pos first, Pos second);
Diagnostic open_directive(Pos place);
// The place of a directive that no "---" ends; yaml-cpp would read on, other parsers refuse it.
std::optional<std::size_t> find_open_directive(std::string_view text);
// A key or a document too many, in values that helm reads all the same.
Diagnostic as_helm_reads_it(Diagnostic mistake);
Diagnostic too_large(Pos place, std::size_t bytes);

}  // namespace renderer
