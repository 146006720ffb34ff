// Where the controller's OAuth client comes from, by `tailrender.secrets`: a Secret that exists in
// the cluster, one that is printed, or an ExternalSecret. Refuses to repeat a credential in a
// message, and two sources of one Secret.
#pragma once

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/model.h"

namespace renderer::plan {

// Fills what `install` says of the Secret, and returns lines for the summary.
std::vector<std::string> plan_credentials(const load::Loaded& loaded,
                                          const classify::OperatorInput& stock,
                                          const Settings& settings, InstallPlan& install,
                                          Diagnostics& diagnostics);

}  // namespace renderer::plan
