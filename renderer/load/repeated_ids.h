// Objects that kustomize refuses since another one of the build, or one that its generators make,
// has their kind, namespace and name. Compares final names: not those that an object had in a base,
// nor with variables of Flux. Source: kustomize api/resmap/reswrangler.go (Append, AbsorbAll).
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"

namespace renderer::load {

// Records that the engine fails at each unit with such a build, and so removes nothing. `file_of`
// is the index of each source's input file, kNone for other sources.
void note_repeated_ids(const engines::Selection& selection,
                       const std::vector<std::uint32_t>& file_of, Loaded& loaded);

}  // namespace renderer::load
