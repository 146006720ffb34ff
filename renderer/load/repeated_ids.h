// Objects that kustomize refuses since another one of the build has their kind, namespace and name.
// Source: kustomize api/resmap/reswrangler.go (Append).
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"

namespace renderer::load {

// Records that the engine fails at each unit with such a build, and so removes nothing. `file_of`
// is the index of each source's input file, kNone for other sources.
void note_repeated_ids(const std::vector<engines::InputFile>& files,
                       const std::vector<std::uint32_t>& file_of, Loaded& loaded);

}  // namespace renderer::load
