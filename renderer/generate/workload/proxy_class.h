// Lays a ProxyClass over a finished StatefulSet. The same for proxies of their own and for groups
// of every type. Source: tailscale v1.96.5 cmd/k8s-operator/sts.go
// (applyProxyClassToStatefulSet); the intended differences are in renderer/PARITY.md. Not here:
// what a class changes outside the StatefulSet (acceptRoutes in the config, metrics objects, static
// endpoints).
#pragma once

#include <string_view>

#include "renderer/core/value.h"
#include "renderer/plan/model.h"

namespace renderer {

// What of a class has a meaning for the StatefulSet at hand.
struct ClassScope {
    bool endpoints = true;      // the pods can answer on ports of their own: metrics and debug
    bool certificates = false;  // they ask Let's Encrypt for certificates
    bool image = true;          // they run the image of `tailscaleContainer`
};

// `tailscaleContainer` is about the pod's first container, and what it says of resources about
// each; `tailscaleInitContainer` about its only init container, if there is one. A second container
// answers at the port for metrics itself. Env lists of the result have unique names: the last entry
// of a name stays, at its place.
void apply_proxy_class(const ProxyClassPlan& chosen, const ClassScope& scope, Value& stateful_set);

}  // namespace renderer
