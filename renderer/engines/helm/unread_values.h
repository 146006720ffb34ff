// Values that an engine gives to the operator's chart and that are not known here: a Secret, an
// object or a file that is not in the tree, what helm refuses to read. They are never taken for
// none: where a setting could be in them, that is an error until the user says the values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/core/value.h"

namespace renderer {

enum class Unread {
    Refused,   // by helm, which then installs nothing
    Missing,   // in the tree, and the engine needs them
    Optional,  // missing, and the engine goes on without them
    Secret,
};

struct UnreadValues {
    Unread kind = Unread::Missing;
    std::string target =
        {};                 // the path of the one value that is not known; "" = any could be there
    std::size_t below = 0;  // layers from this one on win over it
    std::string name = {};  // what speaks for its content: of the Secret and the key
    Diagnostic diagnostic = {};
};

// What a text of an object holds, as helm reads it; Null when there is none, or helm refuses it.
// What is said of it is said at its place in `text`.
Value read_values_text(const Value& text, std::string name, SourceMap& sources, Diagnostics& said);
Value read_values_text(std::string_view text, std::string name, Pos pos, SourceMap& sources,
                       Diagnostics& said);

// Of what was said of values: a mistake makes them unread, and warnings are kept.
void note_said(const Diagnostics& said, const std::string& object, std::size_t below,
               std::vector<UnreadValues>& unread, Diagnostics& warnings);

// Takes values away that are encrypted, or that an ExternalSecret will fill in: their paths.
std::vector<std::string> take_hidden(Value& values);

// The text of one value is encrypted, or was filled in by with_hidden_templates().
bool is_hidden_value(std::string_view text);

// How a user gives them.
constexpr std::string_view kWaysToGiveValues =
    "with --values FILE, or as \"values\" of the cluster in .tailrender.yaml";

// A text with templates such as `{{ .clientId }}`, whose results take_hidden() then finds.
std::string with_hidden_templates(std::string_view text);

}  // namespace renderer
