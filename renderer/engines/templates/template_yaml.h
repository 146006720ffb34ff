// Writes values as sigs.k8s.io/yaml does: keys in natural order, lines folded at 80 columns where
// possible. Source: sigs.k8s.io/yaml goyaml.v2 (sorter.go, resolve.go, emitterc.go).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "renderer/engines/templates/template_value.h"

namespace renderer::engines {

// Returns the document with a line feed at the end, or nothing if only Go can write it.
std::optional<std::string> go_yaml(const GoValue& value);

// True if a plain scalar is a string to that library. Returns nothing if only Go can tell.
std::optional<bool> is_plain_text(std::string_view text);

}  // namespace renderer::engines
