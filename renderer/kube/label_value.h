// Shortens text for a label. Source: tailscale v1.98.10 k8s-operator/utils.go, TruncateLabelValue.
#pragma once

#include <string>
#include <string_view>

namespace renderer::inline kube {

// Returns the text if it fits into a label's value. Longer text is cut and gets a dash and the
// first digits of its SHA-256.
std::string shortened_label(std::string_view value);

}  // namespace renderer::inline kube
