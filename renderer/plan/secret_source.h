// Which input becomes a Secret in the cluster, and under which keys: a Secret (also one that SOPS
// encrypted, whose keys stay readable), a SealedSecret, an ExternalSecret, or what a kustomize
// generator made. Refuses to say anything of keys that only the cluster knows.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"

namespace renderer {

struct SecretName {
    std::string_view ns, name;
};

struct SecretSource {
    const Document* document = nullptr;  // null: a generator made it
    bool keys_known = false;
    std::set<std::string, std::less<>> keys;  // those that have a value
    std::string tailnet = {};                 // label kTailnetLabel of the Secret
};

// The first of them; no value when none of the inputs becomes that Secret.
std::optional<SecretSource> find_secret(const Loaded& loaded, SecretName wanted,
                                        Diagnostics& diagnostics);

// Those of client_id and client_secret that are known to be absent.
std::vector<std::string_view> missing_keys(const SecretSource& source);

}  // namespace renderer
