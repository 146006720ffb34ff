// Fields of the objects that apply something, and of the sources of Flux, to detect typos and what
// is missing: the API server rejects a field that is not in the schema (kubectl's strict field
// validation, which Argo CD applies with, and server-side apply, which Flux applies with), and the
// engine fails. Source: the custom resource definitions of fluxcd/kustomize-controller,
// fluxcd/helm-controller, controlplaneio-fluxcd/flux-operator and argoproj/argo-cd.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/pos.h"
#include "renderer/core/value.h"

namespace renderer::engines {

struct MistypedField {
    const Value* key;  // as spelled
    std::string_view meant;
};

// Returns the first typo in a HelmRelease, Kustomization, ResourceSet, Application or
// ApplicationSet; nothing for other kinds.
std::optional<MistypedField> mistyped_field(const Value& object);

// True if the words differ by at most two edits, or one edit for a short word. A difference in case
// is also a typo.
bool is_typo_of(std::string_view word, std::string_view meant);

// Returns the name that is meant, or "" if the word is one of the names or no typo of one. Names
// that differ only in digits are different names.
std::string_view meant_name(std::string_view word, const std::vector<std::string_view>& names);

// True if the object has a field of its kind that determines what is applied. A document that only
// names the kind, such as an example, has none.
bool has_own_field(const Value& object);

// The hint for objects that the API server rejects.
inline constexpr std::string_view kAskServer =
    "\"kubectl apply --dry-run=server -f FILE\" reports everything that is wrong with it";

struct IncompleteObject {
    Pos pos;  // of the kind, of the map that lacks the field, or of a field with the wrong type
    std::string message;
    bool is_missing = false;  // it lacks a field of spec
};

// Returns why the API server rejects the object by the schema of its kind: what is missing, or has
// a value that is not allowed. Must not be called for patches, only for objects as an engine gets
// them.
std::optional<IncompleteObject> incomplete_object(const Value& object);

// Returns the required fields that the object lacks and that do not change what it applies, such as
// `interval`. They are not among those of incomplete_object().
std::optional<IncompleteObject> lacking_settings(const Value& object);

// Returns why the API server rejects a source of Flux by the schema of its kind: what is missing,
// except for `interval`, what has a value that is not allowed, and typos in its fields.
std::optional<IncompleteObject> rejected_source(const Value& object);

// Warns that the API server rejects an object whose effect is known anyway.
void warn_rejected(std::string_view name, const IncompleteObject& fault, Diagnostics& diagnostics);

}  // namespace renderer::engines
