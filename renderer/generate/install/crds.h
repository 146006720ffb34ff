// CustomResourceDefinitions of tailscale.com for clusters that are to know the kinds although no
// operator brings them. Types and limits are those that inputs are validated with (schema).
#pragma once

#include <string_view>

#include "renderer/core/value.h"

namespace renderer {

// `kind` is one of crd_names().
Value crd(std::string_view kind);

}  // namespace renderer
