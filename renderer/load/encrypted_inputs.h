// Finds inputs with encrypted fields: whether and how they are exposed is not known.
#pragma once

#include <string_view>

#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"

namespace renderer::load {

// Refuses Services and Ingresses that SOPS encrypts so that their class is not known, and inputs
// with other encrypted values that are read. They are no longer reachable, so that no other stage
// judges these values.
void refuse_encrypted_inputs(Loaded& loaded, Diagnostics& diagnostics);

// True if SOPS encrypts a class, or an annotation of Tailscale, in the output of a chart.
bool encrypts_exposure(std::string_view text);

}  // namespace renderer::load
