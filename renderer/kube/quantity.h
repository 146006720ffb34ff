// Amounts of CPU, memory and the like, as a Go program writes those that it has read: "0.5" becomes
// "500m", "1024Mi" becomes "1Gi", and what is taken for canonical stays, "1.500" and "010" too.
// Source: k8s.io/apimachinery v0.35 pkg/api/resource (ParseQuantity, CanonicalizeBytes).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace renderer {

// No value: the text is no amount. What is finer than a billionth is rounded up to one. Amounts
// that no suffix is large enough for keep their spelling.
std::optional<std::string> canonical_quantity(std::string_view text);

}  // namespace renderer
