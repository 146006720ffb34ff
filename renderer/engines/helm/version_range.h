// Versions of charts, and the ranges of them that engines are given ("^1.2").
// Source: Masterminds/semver v3, which helm, Flux and Argo CD use.
#pragma once

#include <string_view>

namespace renderer {

// A range that cannot be read holds no version; "" holds all that are no pre-releases. A
// pre-release is in a range only if the range names one.
bool is_in_range(std::string_view version, std::string_view range);

}  // namespace renderer
