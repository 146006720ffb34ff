// `${NAME}` in the objects of a Flux Kustomization with `postBuild`, as its controller replaces
// them: after the build, in each object as kustomize prints it. Source: fluxcd/pkg envsubst
// (parse/parse.go, funcs.go), fluxcd/pkg kustomize/kustomize_varsub.go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/result.h"
#include "renderer/core/value.h"
#include "renderer/engines/build_unit.h"

namespace renderer::engines {

// True if Flux accepts the text as the name of a variable.
bool is_variable_name(std::string_view text);

// Returns the text with its expressions replaced. Fails with Flux's message for an expression that
// cannot be parsed. An expression whose variable has neither a value nor a default, or a value in a
// Secret, is kept, and the name is appended to `unset`. If a default replaces a variable that may
// have a value in an object that is not in the tree, or if its value is one that Flux may not have
// applied, the name is appended to `assumed`.
Result<std::string> substitute(std::string_view text, const UnitVariables& variables,
                               std::vector<std::string>& unset, std::vector<std::string>& assumed);

// Returns the unset variables of all keys and scalars of an object; none if substitution is
// disabled for the object.
std::vector<UsedVariable> unset_variables(Value object, const UnitVariables& variables);

// Replaces expressions in all keys and scalars of an object, unless substitution is disabled for
// it. A scalar that kustomize prints without quotes is resolved again: `${N}` with N=1 becomes a
// number. In an input of the renderer, a variable without a value is an error, except in labels and
// annotations that are not Tailscale's, and a default that a Secret may replace is a warning. In
// other Services and Ingresses it is an error in a class, in the key of an annotation or, with
// `type_decides`, in the type of a Service if a Secret may have its value: it may make the object
// an input.
// Returns the variables that decide whether a Service or an Ingress is an input and whose values
// Flux may have others of.
std::vector<UsedVariable> substitute_object(Value& object, const UnitVariables& variables,
                                            bool is_input, bool type_decides,
                                            Diagnostics& diagnostics);

// The same for a document of a file, or for each item of a List, since kustomize splits Lists. An
// object is an input if the document mentions Tailscale and the renderer reads its kind.
std::vector<UsedVariable> substitute_document(Value& root, const UnitVariables& variables,
                                              bool mentions_tailscale, bool type_decides,
                                              Diagnostics& diagnostics);

}  // namespace renderer::engines
