// What an object of Flux or Argo CD makes of a directory: the namespace that its objects get, and
// the variables in them. Sources: fluxcd/kustomize-controller api/v1/kustomization_types.go,
// argo-cd docs/user-guide/application-specification.md.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace renderer {

// `${NAME}` in the objects of a unit. Source: fluxcd/pkg envsubst.
struct UnitVariables {
    std::map<std::string, std::string, std::less<>> values;
    friend bool operator==(const UnitVariables&, const UnitVariables&) = default;
};

struct BuildUnit {
    std::string dir;                 // normal path, as the tree knows it
    std::string target_namespace;    // of all objects that have one (Flux targetNamespace)
    std::string fallback_namespace;  // of those that say none (Argo CD destination.namespace)
    std::optional<UnitVariables> variables;  // none: `$` stays as it is
    bool recurses = true;                    // takes the manifests below `dir`, too
    std::string file;                        // that says so; "" when it is suspended
};

}  // namespace renderer
