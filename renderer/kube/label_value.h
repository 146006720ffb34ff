// What a label may hold of a longer text. Source: tailscale v1.98.10 k8s-operator/utils.go,
// TruncateLabelValue.
#pragma once

#include <string>
#include <string_view>

namespace renderer {

// A label's value: what is too long for one is cut, with the first digits of its SHA-256 behind a
// dash.
std::string shortened_label(std::string_view value);

}  // namespace renderer
