// Finds the input that becomes a Secret in the cluster, and its keys: a Secret (also one encrypted
// by SOPS, whose keys stay readable), a SealedSecret, an ExternalSecret, or the result of a
// kustomize generator. Keys that only the cluster has are not guessed.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"

namespace renderer::plan {

struct SecretName {
    std::string_view ns, name;
};

struct SecretSource {
    const Document* document = nullptr;  // null: from a generator
    bool keys_known = false;
    std::set<std::string, std::less<>> keys;  // keys that have a value
    std::string tailnet = {};                 // the Secret's label kTailnetLabel
};

// Returns the first source; no value if none of the inputs becomes the Secret.
std::optional<SecretSource> find_secret(const load::Loaded& loaded, SecretName wanted,
                                        Diagnostics& diagnostics);

// Returns which of client_id and client_secret are known to be absent.
std::vector<std::string_view> missing_keys(const SecretSource& source);

}  // namespace renderer::plan
