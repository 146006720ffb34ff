// What an API server, or whoever applies them, would refuse of any object.
#pragma once

#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"
#include "renderer/core/value.h"

namespace renderer {

// Names that are no strings to Kubernetes: `name: 12`, `namespace: y`.
void check_names(const Value& root, Diagnostics& diagnostics);

// A `List` that mentions Tailscale and has no items, as a list or empty. An API server knows no
// such kind: whoever applies it takes it apart.
void check_list(const Document& document, Diagnostics& diagnostics);

}  // namespace renderer
