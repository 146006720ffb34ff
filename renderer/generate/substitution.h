// Protects generated objects from Flux's `postBuild`. Flux replaces `${NAME}` in everything that it
// applies: an unknown name becomes nothing, and a brace that is never closed fails the whole
// Kustomization. An object with such a text gets the annotation that disables substitution.
// Documents of the user are not changed, because substitution may be intended there. Source:
// fluxcd/pkg kustomize/kustomize_varsub.go.
#pragma once

#include "renderer/core/value.h"

namespace renderer::generate {

void keep_from_substitution(Value& object);

}  // namespace renderer::generate
