// Generates a ConfigMap for each Tailnet. It tells the controller the login server and the Secret
// for the tailnet's name in a contract annotation, because clusters need not have the kind Tailnet.
#pragma once

#include "renderer/generate/model.h"

namespace renderer::generate {

void generate_tailnets(const plan::Plan& plan, Objects& objects);

}  // namespace renderer::generate
