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

namespace renderer {

// What Flux takes for the name of a variable.
bool is_variable_name(std::string_view text);

// The text with its expressions replaced; fails with Flux's words for one that cannot be parsed. A
// name without a value or a default keeps its expression, and is appended to `unset`.
Result<std::string> substitute(std::string_view text, const UnitVariables& variables,
                               std::vector<std::string>& unset);

struct UnsetVariable {
    Pos pos;
    std::string name;
};

// Of all keys and scalars of an object; none where it says that it is not for substitution.
std::vector<UnsetVariable> unset_variables(Value object, const UnitVariables& variables);

// All keys and scalars of an object, unless it says that it is not for substitution. A scalar that
// was nothing but text becomes what YAML makes of the result: `${N}` with N=1 is a number. In an
// input of ours a name without a value is an error, but for labels and annotations of others.
void substitute_object(Value& object, const UnitVariables& variables, bool is_input,
                       Diagnostics& diagnostics);

// The same of a document of a file, or of each item of a List, as kustomize takes it apart. Inputs
// of ours are in a document that mentions Tailscale, and of a kind that someone here reads.
void substitute_document(Value& root, const UnitVariables& variables, bool mentions_tailscale,
                         Diagnostics& diagnostics);

}  // namespace renderer
