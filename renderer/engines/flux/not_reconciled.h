// Objects that Flux is told to leave as they are in the cluster. Source: fluxcd/pkg
// ssa/utils/meta.go.
#pragma once

#include <string>

#include "renderer/core/value.h"

namespace renderer {

// The label or annotation that says so; "" = none.
std::string why_not_reconciled(const Value& object);

}  // namespace renderer
