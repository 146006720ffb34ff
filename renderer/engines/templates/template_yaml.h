// Values as sigs.k8s.io/yaml writes them: keys in a natural order, lines of at most 80 columns
// where they can be broken. Source: sigs.k8s.io/yaml goyaml.v2 (sorter.go, resolve.go,
// emitterc.go).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "renderer/engines/templates/template_value.h"

namespace renderer {

// With a line feed at the end. No value: only Go knows.
std::optional<std::string> go_yaml(const GoValue& value);

// Whether a plain scalar is a text to it. No value: only Go knows.
std::optional<bool> is_plain_text(std::string_view text);

}  // namespace renderer
