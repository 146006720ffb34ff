// A tailnet besides the controller's own: its ConfigMap, decoded. Shape:
// testdata/contract/tailnet.md.
#pragma once

#include <optional>
#include <string>

#include "renderer/core/value.h"

namespace runtime::controller {

struct TailnetConfig {
    std::string name;  // as in the annotation on a StatefulSet
    std::string uid;
    std::string contract;   // version
    std::string login_url;  // without a slash at its end
    std::string secret_name;

    bool operator==(const TailnetConfig&) const = default;
};
std::optional<TailnetConfig> decode_tailnet(const renderer::Value& object);

}  // namespace runtime::controller
