// What condition ProxyClassReady says, as far as objects in the cluster tell: a pure function. The
// renderer refuses the same and more, so this is about classes that came another way. Not decided
// here: the cluster's range of NodePorts, and whether it knows the kind ServiceMonitor. Values of
// labels the CRD's schema refuses. Source: tailscale v1.96.5
// cmd/k8s-operator/{proxyclass,nodeport-service-ports}.go.
#pragma once

#include <map>
#include <string>

#include "runtime/controller/view/parents.h"

namespace runtime::controller {

inline constexpr std::string_view kClassReady = "ProxyClassReady";

// By name, all that is wrong with a class; "": nothing. Of classes whose ports clash the one that
// is ready stays so, or else the first.
std::map<std::string, std::string> class_faults(const Mirror<Parent>::Objects& classes);

}  // namespace runtime::controller
