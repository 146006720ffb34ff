// Versions of charts and ranges of them ("^1.2").
// Source: Masterminds/semver v3, which helm, Flux and Argo CD use.
#pragma once

#include <string_view>

namespace renderer::engines {

// An invalid range contains no version; "" contains all versions that are not pre-releases. A
// pre-release is in a range only if the range names one.
bool is_in_range(std::string_view version, std::string_view range);

}  // namespace renderer::engines
