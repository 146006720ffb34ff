// Checks for mistakes that an API server or an applier would refuse in any object.
#pragma once

#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"
#include "renderer/core/value.h"

namespace renderer::load {

// Refuses names that Kubernetes does not read as strings: `name: 12`, `namespace: y`.
void check_names(const Value& root, Diagnostics& diagnostics);

// Refuses a `List` that mentions Tailscale and whose items are missing, not a list, or empty. The
// API server has no such kind; an applier splits it into its items.
void check_list(const Document& document, Diagnostics& diagnostics);

}  // namespace renderer::load
