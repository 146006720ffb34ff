// The condition ProxyClassReady, as far as objects in the cluster determine it: a pure function.
// The renderer refuses the same and more, so this is for classes that were not rendered. It does
// not check the cluster's range of NodePorts, nor whether the cluster has the kind ServiceMonitor.
// The CRD's schema refuses invalid values of labels. Source: tailscale v1.96.5
// cmd/k8s-operator/{proxyclass,nodeport-service-ports}.go.
#pragma once

#include <map>
#include <string>

#include "renderer/kube/kinds.h"
#include "runtime/controller/view/parents.h"

namespace runtime::controller {

inline constexpr std::string_view kClassReady = renderer::kind_of("ProxyClass").role.condition;

// Returns all faults of each class, by name; "" if it has none. Of classes whose ports clash, the
// one that is ready stays so, otherwise the first.
std::map<std::string, std::string> class_faults(const Mirror<Parent>::Objects& classes);

}  // namespace runtime::controller
