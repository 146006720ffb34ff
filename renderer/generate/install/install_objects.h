// The parts of an installation that have a file each.
#pragma once

#include <utility>

#include "renderer/generate/model.h"

namespace renderer {

inline void add_object(const InstallPlan& install, Value root, Objects& objects) {
    objects.push_back({.root = std::move(root),
                       .origin = install.origin,
                       .bundle = install.bundle,
                       .generator = "install"});
}

// The controller's Deployment, as the operator chart would spell it: same name, selector and pod
// settings; our image, arguments, environment, port, probes and a restricted security context.
void generate_install_controller(const Plan& plan, Objects& objects);

// The controller's account, its rules in its own namespace and in the cluster, and the account that
// API server proxies impersonate with.
void generate_install_rbac(const Plan& plan, Objects& objects);

}  // namespace renderer
