// A ProxyClass as it is written -> what it changes of the proxies that use it.
#pragma once

#include "renderer/classify/custom_resource.h"
#include "renderer/plan/class/proxy_class_plan.h"

namespace renderer {

// What is malformed (reported elsewhere) is as if it were absent.
ProxyClassPlan make_proxy_class(const CustomResource& input);

}  // namespace renderer
