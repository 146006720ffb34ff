// CustomResourceDefinitions of tailscale.com for clusters that are to know the kinds although no
// operator brings them. Types and limits are those that inputs are validated with (schema).
#pragma once

#include "renderer/core/value.h"
#include "renderer/kube/kinds.h"

namespace renderer {

// `kind` is a custom one that the release has, which `operator_minor` is of.
Value crd(const Kind& kind, int operator_minor);

}  // namespace renderer
