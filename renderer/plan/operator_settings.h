// Reads the settings of the cluster from all sources about the operator: its Deployment, the object
// or bundle that installs its chart, and the loaded values.
#pragma once

#include "renderer/classify/classify.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/settings/settings.h"

namespace renderer::plan {

// Reports an invalid namespace, and everything that decode_settings and choose_release report.
Settings operator_settings(const load::Loaded& loaded, const classify::OperatorInput& stock,
                           Diagnostics& diagnostics);

}  // namespace renderer::plan
