// The metadata that Services and Ingresses have in common.
#pragma once

#include "renderer/classify/parent_input.h"
#include "renderer/core/source_map.h"

namespace renderer::classify {

// Labels and annotations of a wrong type become faults, even a `true` without quotes: the API
// server refuses them.
void decode_metadata(const Document& doc, ParentInput& parent);

// Writes booleans in the hints of faults as the file spells them.
void spell_booleans(const SourceMap& sources, std::vector<Diagnostic>& faults);

}  // namespace renderer::classify
