// Applies a ProxyClass to a finished StatefulSet, in the same way for single proxies and for groups
// of every type. Source: tailscale v1.96.5 cmd/k8s-operator/sts.go (applyProxyClassToStatefulSet);
// the intended differences are in renderer/PARITY.md. What a class changes outside of the
// StatefulSet (acceptRoutes in the config, metrics objects, static endpoints) is not here.
#pragma once

#include <string_view>

#include "renderer/core/value.h"
#include "renderer/plan/model.h"

namespace renderer::generate {

// The parts of a class that apply to the StatefulSet.
struct ClassScope {
    bool endpoints = true;      // the pods can have ports for metrics and debug
    bool certificates = false;  // they request certificates from Let's Encrypt
    bool image = true;          // they run the image of `tailscaleContainer`
};

// `tailscaleContainer` applies to the pod's first container, and its resources to each container;
// `tailscaleInitContainer` applies to the only init container, if there is one. In a pod with two
// containers the second one serves the metrics port itself. Variables of the result have unique
// names: the last entry with a name stays, at its position.
void apply_proxy_class(const plan::ProxyClassPlan& chosen, const ClassScope& scope,
                       Value& stateful_set);

}  // namespace renderer::generate
