// The parts of an installation that have their own files.
#pragma once

#include <utility>

#include "renderer/generate/model.h"

namespace renderer::generate {

inline void add_object(const plan::InstallPlan& install, Value root, Objects& objects) {
    objects.push_back({.root = std::move(root),
                       .origin = install.origin,
                       .bundle = install.bundle,
                       .generator = "install"});
}

// Generates the controller's Deployment, as the operator's chart would write it: same name,
// selector and pod settings; our image, arguments, environment, port, probes and a restricted
// security context.
void generate_install_controller(const plan::Plan& plan, Objects& objects);

// Generates the controller's ServiceAccount, its rules in its own namespace and in the cluster, and
// the ServiceAccount with which API server proxies impersonate users.
void generate_install_rbac(const plan::Plan& plan, Objects& objects);

}  // namespace renderer::generate
