// Proxies that bring tailnet traffic to a Service (layer 3): the pod forwards every port of its
// tailnet address.
#pragma once

#include "renderer/generate/generate.h"

namespace renderer {

void generate_l3_ingress(const ProxyPlan& proxy, Objects& objects);

}  // namespace renderer
