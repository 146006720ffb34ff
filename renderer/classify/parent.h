// The metadata that Services and Ingresses have in common.
#pragma once

#include "renderer/classify/parent_input.h"

namespace renderer::classify {

// Labels and annotations of a wrong type become faults, even a `true` without quotes: the API
// server refuses them.
void decode_metadata(const Document& doc, ParentInput& parent);

}  // namespace renderer::classify
