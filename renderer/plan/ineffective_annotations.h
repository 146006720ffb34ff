// Warns of settings without effect on a Service or an Ingress: annotations and the label of a class
// on an object that nothing exposes, and class names that differ slightly from the operator's. The
// operator silently ignores them. Source: tailscale v1.96.5 cmd/k8s-operator/{svc,ingress}.go
// (shouldExpose).
#pragma once

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/plan/settings/settings.h"

namespace renderer::plan {

// Warns for an object that has no proxy and that no group serves.
void warn_of_ineffective(const classify::ServiceInput& service, const Settings& settings,
                         Diagnostics& diagnostics);
void warn_of_ineffective(const classify::IngressInput& ingress, const Settings& settings,
                         Diagnostics& diagnostics);

// Warns for an exposed Service with SCTP: policy rules without a protocol permit TCP, UDP and ICMP
// only. Source: https://tailscale.com/kb/1324/grants (ip).
void warn_of_sctp(const classify::ServiceInput& service, Diagnostics& diagnostics);

// Warns for an object of another kind, which the operator ignores. `has_gateway_class`: another
// controller serves Gateways of a class that has the operator's name.
void warn_of_ineffective(const Document& document, bool has_gateway_class,
                         Diagnostics& diagnostics);

// Refuses the IngressClass of the operator as the default class: the API server writes it into each
// new Ingress without a class. Source: kubernetes plugin/pkg/admission/network/defaultingressclass.
void refuse_default_class(const Document& document, const Settings& settings,
                          Diagnostics& diagnostics);

// True for a GatewayClass with the name of the operator's class.
bool is_gateway_class(const Document& document);

}  // namespace renderer::plan
