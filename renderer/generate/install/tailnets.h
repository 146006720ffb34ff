// For the controller: which login server and which Secret belong to the name of a tailnet in a
// contract annotation. A ConfigMap each, since no cluster has to know the kind Tailnet.
#pragma once

#include "renderer/generate/model.h"

namespace renderer {

void generate_tailnets(const Plan& plan, Objects& objects);

}  // namespace renderer
