// Flux's `postBuild` fills in `${NAME}` in whatever it applies; a name that it does not know
// becomes nothing, and a brace that is never closed fails the whole Kustomization. What we generate
// is meant as it is, so an object with such a text tells Flux to leave it alone. Not for
// documents of the user: there it may be just what is wanted. Source: fluxcd/pkg
// kustomize/kustomize_varsub.go.
#pragma once

#include "renderer/core/value.h"

namespace renderer {

void keep_from_substitution(Value& object);

}  // namespace renderer
