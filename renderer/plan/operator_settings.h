// The settings of the cluster, from all that the inputs say of the operator: its Deployment, the
// object or bundle that installs its chart, and the values that were loaded.
#pragma once

#include "renderer/classify/classify.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/settings/settings.h"

namespace renderer {

// Reports a namespace that is none, and all that decode_settings and choose_release report.
Settings operator_settings(const Loaded& loaded, const OperatorInput& stock,
                           Diagnostics& diagnostics);

}  // namespace renderer
