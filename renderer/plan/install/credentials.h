// Where the controller's OAuth client comes from, by `tailrender.secrets`: a Secret that exists in
// the cluster, one that is printed, or an ExternalSecret. Refuses to repeat a credential in a
// message, and two sources of one Secret.
#pragma once

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/load.h"
#include "renderer/plan/plan.h"

namespace renderer {

// Fills what `install` says of the Secret, and adds to plan.summary; plan.settings are complete.
void plan_credentials(const Loaded& loaded, const OperatorInput& reference, InstallPlan& install,
                      Plan& plan, Diagnostics& diagnostics);

}  // namespace renderer
