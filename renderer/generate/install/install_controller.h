// The controller's Deployment, as the operator chart would spell it: same name, selector and pod
// settings; our image, arguments, environment, port, probes and a restricted security context.
#pragma once

#include "renderer/generate/generate.h"

namespace renderer {

void generate_install_controller(const Plan& plan, Objects& objects);

}  // namespace renderer
