// Refuses to render pods with an image of this project that the settings do not name. No registry
// has these images, so a default name would be free for anyone to register, and the pods are
// privileged and have auth keys.
#pragma once

#include "renderer/classify/operator_deployment.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/model.h"

namespace renderer::plan {

// Reports `tailrender.image` for the controller and the nameserver, and `tailrender.proxyImage` for
// pods that run tailrender-proxy: once for each bundle, at the first input that needs it.
void check_own_images(const classify::OperatorInput& stock, const load::Loaded& loaded,
                      const Plan& plan, Diagnostics& diagnostics);

}  // namespace renderer::plan
