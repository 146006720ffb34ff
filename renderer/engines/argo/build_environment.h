// The variables of Argo CD's build environment, which it fills into values of helm: `$NAME`,
// `${NAME}`. Sources: argo-cd docs/user-guide/build-environment.md, reposerver/repository
// (helmTemplate), pkg/apis/application/v1alpha1/types.go (Envsubst).
#pragma once

#include <string>
#include <string_view>

#include "renderer/core/value.h"

namespace renderer::engines {

class BuildEnvironment {
public:
    // Both must outlive this object.
    BuildEnvironment(const Value& application, const Value& source)
        : application_(application), source_(source) {}

    // Fills in a text. A variable that Argo CD does not have is empty, `$$` is a dollar sign.
    // Variables whose values only the cluster or the commit determines stay as they are.
    [[nodiscard]] std::string fill(std::string_view text) const;

private:
    [[nodiscard]] std::string value_of(std::string_view name) const;

    const Value& application_;
    const Value& source_;
};

}  // namespace renderer::engines
