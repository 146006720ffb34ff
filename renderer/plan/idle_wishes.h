// What a Service or an Ingress says to the operator in vain: annotations and the label of a class
// on an object that nothing exposes, and names of classes that are nearly the operator's. The
// operator says nothing of them. Source: tailscale v1.96.5 cmd/k8s-operator/{svc,ingress}.go
// (shouldExpose).
#pragma once

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/plan/settings/settings.h"

namespace renderer {

// For an object without a proxy that no group serves.
void warn_of_idle_wishes(const ServiceInput& service, const Settings& settings,
                         Diagnostics& diagnostics);
void warn_of_idle_wishes(const IngressInput& ingress, const Settings& settings,
                         Diagnostics& diagnostics);

// For a Service that is exposed: policy rules that name no protocol permit TCP, UDP and ICMP only.
// Source: https://tailscale.com/kb/1324/grants (ip).
void warn_of_sctp(const ServiceInput& service, Diagnostics& diagnostics);

// For an object of another kind, which the operator does not look at.
void warn_of_idle_wishes(const Document& document, Diagnostics& diagnostics);

}  // namespace renderer
