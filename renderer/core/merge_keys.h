// Merge keys: `<<` adds the members of other maps (https://yaml.org/type/merge.html).
#pragma once

#include <cstddef>
#include <vector>

#include "renderer/core/value.h"

namespace renderer::inline core {

// Returns the first of the `above` first members that the merged maps have with another value, or
// nullptr. It wins for kustomize and Flux, but not for kubectl and Argo CD.
// Source: sigs.k8s.io/yaml v1.6.0 goyaml.v2/decode.go (decoder.mapping).
const Member* overridden_member(const Value& map, std::size_t above,
                                const std::vector<Value>& merged);

// Adds the members that the map lacks. Earlier maps win over later ones.
void merge_into(Value& map, std::vector<Value> merged);

}  // namespace renderer::inline core
