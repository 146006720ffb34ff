// CustomResourceDefinitions of tailscale.com, for clusters that need the kinds but have no operator
// that installs them. Types and limits are those that validate inputs (schema).
#pragma once

#include "renderer/core/value.h"
#include "renderer/kube/kinds.h"

namespace renderer::generate {

// Returns the CRD of `kind`, a custom kind that the release 1.`operator_minor` of the operator has.
Value crd(const Kind& kind, int operator_minor);

}  // namespace renderer::generate
