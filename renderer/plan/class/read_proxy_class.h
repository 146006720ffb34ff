// Reads a ProxyClass into the changes that it makes to its proxies.
#pragma once

#include "renderer/classify/custom_resource.h"
#include "renderer/plan/class/proxy_class_plan.h"

namespace renderer::plan {

// Malformed fields, which are reported elsewhere, are treated as absent.
ProxyClassPlan make_proxy_class(const classify::CustomResource& input);

}  // namespace renderer::plan
