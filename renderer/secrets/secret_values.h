// Finds the plaintext values of a Secret. Skips empty values, values that SOPS encrypted or that
// its rules leave unencrypted, as far as those can be read (a `sops` key alone proves nothing,
// since a value may have been added later), and references that are resolved later: `${NAME}`
// (Flux, envsubst), `<path:…>` (argocd-vault-plugin), `vault:…` (Bank-Vaults), `ref+…` (vals).
#pragma once

#include <string>
#include <vector>

#include "renderer/core/value.h"

namespace renderer::secrets {

struct ClearValue {
    const Member* member = nullptr;  // of `data` or `stringData`
    std::string text;                // decoded
};

// Returns them in the order of the document. `data` that is not base64 is used as it is.
std::vector<ClearValue> clear_values(const Value& secret);

}  // namespace renderer::secrets
