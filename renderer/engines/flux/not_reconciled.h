// Objects that Flux does not change in the cluster. Source: fluxcd/pkg ssa/utils/meta.go.
#pragma once

#include <string>

#include "renderer/core/value.h"

namespace renderer::engines {

// Returns the label or annotation that disables reconciliation, "" if there is none.
std::string why_not_reconciled(const Value& object);

}  // namespace renderer::engines
