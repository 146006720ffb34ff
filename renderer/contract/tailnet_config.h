// The ConfigMap "tailrender-tailnet-<name>" of a tailnet besides the controller's own. The renderer
// writes it, the controller reads it: testdata/contract/tailnet.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "renderer/core/value.h"

namespace renderer::inline contract {

inline constexpr std::string_view kTailnetPrefix = "tailrender-tailnet-";

struct TailnetConfig {
    std::string name;         // as in the annotation on a StatefulSet
    std::string uid;          // of the ConfigMap in the cluster
    std::string contract;     // version
    std::string login_url;    // without a slash at its end
    std::string secret_name;  // of its credentials

    bool operator==(const TailnetConfig&) const = default;
};

// Writes the contract's version of this program.
Value tailnet_map(std::string_view ns, std::string_view name, std::string_view login_url,
                  std::string_view secret_name);
// No value if the object is another one.
std::optional<TailnetConfig> decode_tailnet(const Value& object);

}  // namespace renderer::inline contract
