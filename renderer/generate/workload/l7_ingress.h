// Proxies that serve an Ingress (layer 7): HTTPS on the tailnet, or on the internet with Funnel.
#pragma once

#include "renderer/generate/generate.h"

namespace renderer {

void generate_l7_ingress(const ProxyPlan& proxy, Objects& objects);

}  // namespace renderer
