// Fields of the objects that apply something, to tell a typo: the API server refuses a field that
// the schema does not have (kubectl's strict field validation, which Argo CD applies with, and
// server-side apply, which Flux applies with), and the engine stops there. Source: the custom
// resource definitions of fluxcd/kustomize-controller, fluxcd/helm-controller,
// controlplaneio-fluxcd/flux-operator and argoproj/argo-cd.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "renderer/core/pos.h"
#include "renderer/core/value.h"

namespace renderer {

struct MistypedField {
    const Value* key;  // as spelled
    std::string_view meant;
};

// Of HelmRelease, Kustomization, ResourceSet, Application and ApplicationSet; none of other kinds.
std::optional<MistypedField> mistyped_field(const Value& object);

// At most two edits apart, of a short word one. Case alone makes a typo, too.
bool is_typo_of(std::string_view word, std::string_view meant);

// A field that only its kind has, and that says what is applied. A document that merely names the
// kind, such as an example, has none.
bool has_own_field(const Value& object);

struct IncompleteObject {
    Pos pos;  // of the kind, of what lacks the name, or of what is of another type
    std::string message;
    bool is_missing = false;  // a field of spec
};

// What the schema requires and the object does not have. Only of what an engine is given, which no
// patch is.
std::optional<IncompleteObject> incomplete_object(const Value& object);

}  // namespace renderer
