// Amounts of CPU, memory and the like, as a Go program writes those that it has read: "0.5" becomes
// "500m", "1024Mi" becomes "1Gi", and what is taken for canonical stays, "1.500" and "010" too.
// Source: k8s.io/apimachinery v0.35 pkg/api/resource (ParseQuantity, CanonicalizeBytes).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "renderer/core/value.h"

namespace renderer {

// No value: the text is no amount. What is finer than a billionth is rounded up to one. Amounts
// that no suffix is large enough for keep their spelling.
std::optional<std::string> canonical_quantity(std::string_view text);

// The whole number that the tools which make JSON of YAML read: `80.0` and `8e1` are 80. No value:
// none, or one that is no 64-bit integer.
std::optional<std::int64_t> whole_number(const Value& value);

// Of an amount in a custom resource, where a number has to be whole: `1e3` is 1000, so "1k".
std::optional<std::string> canonical_amount(const Value& value);

}  // namespace renderer
