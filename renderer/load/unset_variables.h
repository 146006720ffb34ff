// Warns of variables without a value in objects that tailrender does not decode: since Flux 2.9 one
// such variable prevents its whole Kustomization from being applied. Source:
// fluxcd/kustomize-controller internal/features (StrictPostBuildSubstitutions).
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"

namespace renderer::load {

// Adds one warning for each unit, if all its variables are known. `file_of` is the index of each
// source's input file.
void warn_unset_variables(const std::vector<engines::InputFile>& files,
                          const std::vector<std::uint32_t>& file_of, Loaded& loaded,
                          Diagnostics& diagnostics);

}  // namespace renderer::load
