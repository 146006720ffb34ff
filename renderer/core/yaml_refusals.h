// The errors of the YAML reader. Only the messages are here; yaml_reader.cpp looks for the
// mistakes.
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

namespace renderer::inline core {

// `rest` begins with the byte that find_bad_character found.
Diagnostic bad_character(Pos place, std::string_view rest);
// Translates an error of yaml-cpp and names the likely cause.
Diagnostic syntax_error(const SourceMap& sources, Pos place, std::string message);
// `value` is what was found in place of the key.
Diagnostic wrong_key(const SourceMap& sources, SourceId source, Pos place, const Value& value);
// One error for each key that was not merged into the map, which begins at `map`. Two objects in
// one map, each with an apiVersion and a kind, get a single error instead, unless the text is read
// as helm does.
std::vector<Diagnostic> duplicate_keys(std::vector<RepeatedKey> repeated, Pos map, bool as_helm);
Diagnostic duplicate_key(std::string_view key, Pos first, Pos second);
// A warning: a key at `own` has another value in the map that is merged below it, at `merge`.
Diagnostic overridden_key(std::string_view key, Pos own, Pos merge);
Diagnostic second_document(Pos first, Pos second);
Diagnostic open_directive(Pos place);
// Returns the offset of a directive without a "---" after it. yaml-cpp would read on; other parsers
// refuse it.
std::optional<std::size_t> find_open_directive(std::string_view text);
// Turns the error about a duplicate key or second document into a warning, for values that helm
// accepts.
Diagnostic as_helm_reads_it(Diagnostic mistake);
Diagnostic too_large(Pos place, std::size_t bytes);

}  // namespace renderer::inline core
