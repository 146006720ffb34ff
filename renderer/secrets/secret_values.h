// What is in a Secret in the clear. Left out are values that are empty, that SOPS encrypted or
// was, as far as its rules can be read, told to leave as they are (a `sops` key alone proves
// nothing: someone may have added a value since), and references that something resolves later:
// `${NAME}` (Flux, envsubst), `<path:…>` (argocd-vault-plugin), `vault:…` (Bank-Vaults), `ref+…`
// (vals).
#pragma once

#include <string>
#include <vector>

#include "renderer/core/value.h"

namespace renderer {

struct ClearValue {
    const Member* member = nullptr;  // of `data` or `stringData`
    std::string text;                // decoded
};

// In the order of the document; `data` that is not base64 counts as it is.
std::vector<ClearValue> clear_values(const Value& secret);

}  // namespace renderer
