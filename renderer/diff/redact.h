// A manifest's tree as it may be shown: values that may be credentials are replaced by their keyed
// hash, and what is wrapped (tailscaled's configuration in a Secret, JSON in a ConfigMap) is
// unwrapped, so that it is compared field by field. Every tree passes through here before anything
// of it reaches a report.
#pragma once

#include <string_view>

#include "renderer/core/value.h"
#include "renderer/secrets/secret_hash.h"

namespace renderer {

Value redacted(const Value& root, const SecretHash& hash);

}  // namespace renderer
