// Values that an engine passes to the operator's chart but that are not known here: they are in a
// Secret, in an object or file that is not in the tree, or helm rejects them. They are never
// treated as empty: if one of them could contain a setting, that is an error until the user
// provides the values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/core/value.h"

namespace renderer::engines {

enum class Unread {
    Refused,   // helm rejects them and installs nothing
    Missing,   // not in the tree, and required by the engine
    Optional,  // not in the tree, and not required
    Secret,
    Elsewhere,  // in a file that tailrender does not read as values of the chart
};

struct UnreadValues {
    Unread kind = Unread::Missing;
    std::string target = {};  // path of the one unknown value; "" = all may be
    std::size_t below = 0;    // layers from this index on override it
    std::string name = {};    // object and key, which suggest whether it is a credential; or file
    Diagnostic diagnostic = {};
};

// Parses a string of an object as helm does. Returns Null if it is empty or helm rejects it.
// Diagnostics are reported at their position in `text`.
Value read_values_text(const Value& text, std::string name, SourceMap& sources, Diagnostics& said);
Value read_values_text(std::string_view text, std::string name, Pos pos, SourceMap& sources,
                       Diagnostics& said);

// Sorts the diagnostics of values: errors make them unread, warnings are added to `warnings`.
void note_said(const Diagnostics& said, const std::string& object, std::size_t below,
               std::vector<UnreadValues>& unread, Diagnostics& warnings);

// Removes values that are encrypted or that an ExternalSecret will fill in, and returns their
// paths.
std::vector<std::string> take_hidden(Value& values);

// True if the value is encrypted, or contains a placeholder of with_hidden_templates().
bool is_hidden_value(std::string_view text);

// How a user can provide them, for hints.
constexpr std::string_view kWaysToGiveValues =
    "with --values FILE, or as \"values\" of the cluster in .tailrender.yaml";

// Replaces templates such as `{{ .clientId }}` by a placeholder that take_hidden() finds.
std::string with_hidden_templates(std::string_view text);

}  // namespace renderer::engines
