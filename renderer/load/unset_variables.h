// Reports why Flux applies nothing of a Kustomization with `postBuild`: something that it refers to
// is invalid or missing, or, since Flux 2.9, an object that tailrender does not decode has a
// variable without a value. Source: fluxcd/kustomize-controller internal/features
// (StrictPostBuildSubstitutions).
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

// Reports what `postBuild` of a unit with inputs refers to and Flux fails at.
void report_variable_faults(const std::vector<engines::InputFile>& files,
                            const std::vector<std::uint32_t>& file_of, const Loaded& loaded,
                            Diagnostics& diagnostics);

// Notes that the devices of documents stay if a variable may decide that they are inputs.
void note_undecided(Loaded& loaded);

}  // namespace renderer::load
