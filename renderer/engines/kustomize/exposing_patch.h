// A change that a kustomization makes to objects, as far as it exposes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/pos.h"
#include "renderer/engines/helm/exposing_values.h"

namespace renderer {

struct ExposingPatch {
    Pos pos = {};                            // in the file of the patch, else of the entry
    std::vector<ExposingValue> values = {};  // that it gives, at least one
    std::string kind = {}, name = {};  // of what it is for, regular expressions; "" = anything
    bool is_for_one = false;           // object, of this kind and name
    std::string build = {};            // "kustomize build app", where someone executes it

    [[nodiscard]] bool is_public() const;
    // "spec.ingressClassName: tailscale, and 1 more, for Ingress/web"
    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool is_for(std::string_view kind_of, std::string_view name_of) const;
};

// A name, and no regular expression.
bool is_exact_name(std::string_view text);

}  // namespace renderer
