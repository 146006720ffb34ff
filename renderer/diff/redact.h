// Makes a manifest's tree safe to show: replaces values that may be credentials by their keyed
// hash, and decodes wrapped content (tailscaled's configuration in a Secret, JSON in a ConfigMap),
// so that it is compared field by field. Every tree passes through here before any of it reaches a
// report.
#pragma once

#include <string_view>

#include "renderer/core/value.h"
#include "renderer/secrets/secret_hash.h"

namespace renderer::diff {

Value redacted(const Value& root, const secrets::SecretHash& hash);

}  // namespace renderer::diff
