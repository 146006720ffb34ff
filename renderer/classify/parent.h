// What Services and Ingresses have in common: metadata.
#pragma once

#include "renderer/classify/parent_input.h"

namespace renderer {

// Labels and annotations of a wrong type become faults: the API server refuses them, even those
// that would only be a `true` without quotes.
void decode_metadata(const Document& doc, ParentInput& parent);

}  // namespace renderer
