// Proxies that bring cluster traffic to a place in the tailnet: the user's Service is an alias of
// their headless Service, and the pod forwards every port of its cluster address.
#pragma once

#include "renderer/generate/generate.h"

namespace renderer {

void generate_l3_egress(const ProxyPlan& proxy, Objects& objects);

}  // namespace renderer
