// Quantities of CPU, memory and the like, as a Go program writes those that it has read: "0.5"
// becomes "500m", "1024Mi" becomes "1Gi". What Go takes for canonical stays, even "1.500" and
// "010". Source: k8s.io/apimachinery v0.35 pkg/api/resource (ParseQuantity, CanonicalizeBytes).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "renderer/core/value.h"

namespace renderer::inline kube {

// Returns nothing if the text is not a quantity. Digits below a billionth are rounded up.
// Quantities that are too large for every suffix keep their spelling.
std::optional<std::string> canonical_quantity(std::string_view text);

// Returns the whole number as tools that convert YAML to JSON read it: `80.0` and `8e1` are 80.
// Nothing if the value is not a 64-bit integer.
std::optional<std::int64_t> whole_number(const Value& value);

// Returns the quantity in a custom resource, where a number has to be whole: `1e3` is 1000, so
// "1k".
std::optional<std::string> canonical_amount(const Value& value);

}  // namespace renderer::inline kube
