// Writes a Value as YAML in canonical form: 2-space indent, lists not indented under their key, key
// order apiVersion, kind, metadata{name, namespace, labels, annotations}, the rest bytewise.
// Strings that a YAML 1.1 or 1.2 reader would take for something else are quoted, multi-line
// strings are exact `|` blocks. read(write(x)) == x for every value.
#pragma once

#include <string>

#include "renderer/core/value.h"

namespace renderer::inline core {

// Appends one document, ending in a newline and without a `---` line.
void write_yaml(const Value& value, std::string& out);

// True if the plain (unquoted) spelling of this string would not be read back as the same string.
bool needs_quotes(std::string_view text);

}  // namespace renderer::inline core
