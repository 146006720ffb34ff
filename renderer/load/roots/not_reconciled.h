// Objects that Flux is told to leave as they are in the cluster. Sources:
// fluxcd/kustomize-controller api/v1/kustomization_types.go, fluxcd/pkg ssa/utils/meta.go.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "renderer/load/inputs.h"

namespace renderer {

// The label or annotation that says so; "" = none.
std::string why_not_reconciled(const Value& object);

// Makes facts of those documents, with a warning for an input of ours. `file_of`: for each source
// the index of its file.
void leave_to_flux(const std::vector<InputFile>& files, const std::vector<std::uint32_t>& file_of,
                   Loaded& loaded, Diagnostics& diagnostics);

}  // namespace renderer
