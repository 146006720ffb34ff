// Variables without a value in objects that no one here reads: since Flux 2.9 one of them keeps all
// of its Kustomization from being applied. Source: fluxcd/kustomize-controller
// internal/features (StrictPostBuildSubstitutions).
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"

namespace renderer {

// A warning for each unit whose variables are all known. `file_of`: input file of each source.
void warn_unset_variables(const std::vector<InputFile>& files,
                          const std::vector<std::uint32_t>& file_of, const Loaded& loaded,
                          Diagnostics& diagnostics);

}  // namespace renderer
