// Connectors: pods that forward tailnet traffic to the networks that they advertise.
#pragma once

#include "renderer/generate/generate.h"

namespace renderer {

void generate_connector(const ProxyPlan& proxy, Objects& objects);

}  // namespace renderer
