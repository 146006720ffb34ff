// A change of a kustomization that exposes objects on the tailnet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/pos.h"
#include "renderer/engines/helm/exposing_values.h"

namespace renderer::engines {

struct ExposingPatch {
    Pos pos = {};                            // in the patch file, else of the entry
    std::vector<ExposingValue> values = {};  // the values that it sets, at least one
    std::string kind = {}, name = {};        // regular expressions for its objects; "" = any
    bool is_for_one = false;                 // it changes one object, with this kind and name
    std::string build = {};                  // "kustomize build app", if it is executed

    [[nodiscard]] bool is_public() const;
    // Returns a text like "spec.ingressClassName: tailscale, and 1 more, for Ingress/web".
    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool is_for(std::string_view kind_of, std::string_view name_of) const;
};

// True for a plain name, false for a regular expression (a dot is one) and for "".
bool is_exact_name(std::string_view text);

}  // namespace renderer::engines
