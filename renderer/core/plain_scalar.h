// The meaning of an unquoted YAML scalar to Kubernetes tools: the YAML 1.1 rules of
// sigs.k8s.io/yaml (go-yaml v2), where `y`, `yes` and `on` are booleans, `0644` is octal, and dates
// and `12:30` stay strings.
#pragma once

#include <string_view>

#include "renderer/core/value.h"

namespace renderer::inline core {

// Returns a Null, Bool, Number (with its spelling) or String.
Value resolve_plain(std::string_view text);

// Returns only the kind, without making a value.
Value::Kind plain_kind(std::string_view text);

}  // namespace renderer::inline core
