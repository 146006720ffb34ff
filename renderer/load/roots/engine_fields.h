// Fields of the objects that apply something, to tell a typo: the API server refuses a field that
// the schema does not have (kubectl's strict field validation, which Argo CD applies with, and
// server-side apply, which Flux applies with), and the engine stops there. Source: the custom
// resource definitions of fluxcd/kustomize-controller, fluxcd/helm-controller,
// controlplaneio-fluxcd/flux-operator and argoproj/argo-cd.
#pragma once

#include <optional>
#include <string_view>

#include "renderer/core/value.h"

namespace renderer {

struct MistypedField {
    const Value* key;  // as spelled
    std::string_view meant;
};

// Of HelmRelease, Kustomization, ResourceSet, Application and ApplicationSet; none of other kinds.
std::optional<MistypedField> mistyped_field(const Value& object);

// Two letters have changed places, or they differ in one place, of at most two letters and not more
// than half of them. Digits and dashes tell things apart.
bool is_typo_of(std::string_view word, std::string_view meant);

}  // namespace renderer
