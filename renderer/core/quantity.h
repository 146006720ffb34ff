// Amounts of CPU, memory and the like, in the one spelling that the API server gives them: "0.5" is
// "500m", "1024Mi" is "1Gi". Source: k8s.io/apimachinery pkg/api/resource (ParseQuantity,
// CanonicalizeBytes).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace renderer {

// No value: the text is no amount. Amounts beyond 18 digits, or finer than a billionth, keep their
// spelling.
std::optional<std::string> canonical_quantity(std::string_view text);

}  // namespace renderer
