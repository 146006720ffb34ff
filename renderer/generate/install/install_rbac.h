// The controller's account, its rules in its own namespace and in the cluster, and the account that
// API server proxies impersonate with.
#pragma once

#include "renderer/generate/generate.h"

namespace renderer {

void generate_install_rbac(const Plan& plan, Objects& objects);

}  // namespace renderer
