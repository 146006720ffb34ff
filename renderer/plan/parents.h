// Decides which Services and Ingresses get their own proxy or are served by a group, which ask for
// something that is not supported yet, and which are foreign. Source of the rules: tailscale
// v1.96.5 cmd/k8s-operator/{svc,ingress}.go (shouldExpose, tailnetTargetAnnotation, shouldExpose of
// Ingress). What the operator would ignore, at most with a log line, stays foreign.
#pragma once

#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/settings/settings.h"

namespace renderer::plan {

// The parents, sorted by (namespace, name).
struct Parents {
    std::vector<const classify::ServiceInput*> services;  // exposed to the tailnet, or targeting it
    std::vector<const classify::ServiceInput*> members;   // targeting it through a group
    std::vector<const classify::IngressInput*> ingresses;       // of the operator's class
    std::vector<const classify::ServiceInput*> group_services;  // exposed through a group
    std::vector<const classify::ServiceInput*> idle_services;   // naming a group, but not exposed
    std::vector<const classify::IngressInput*> group_ingresses;
};

Parents find_parents(const load::Loaded& loaded, const classify::Inventory& inventory,
                     const Settings& settings, Diagnostics& diagnostics);

// True if the tailnet reaches this parent, false if it targets an address in the tailnet.
bool is_exposed(const classify::ServiceInput& service, const Settings& settings);

// True if the operator created the Service.
bool is_managed(const classify::ServiceInput& service);

// True if a group exposes the Service. Unlike for a Service with its own proxy, the operator's
// default load balancer does not count.
bool is_exposed_by_group(const classify::ServiceInput& service);

// Reports what classify could not decode in an object of the plan.
void report_faults(const classify::ParentInput& parent, Diagnostics& diagnostics);

// True if an applier sees the document, its bundle is rendered, and helm does not run it as a hook.
bool is_rendered(const load::Loaded& loaded, const Document& doc);

// Does the same, but also returns true for hooks.
bool is_applied(const load::Loaded& loaded, const Document& doc);

// True for documents that are read but never parents. If another object has the same name, that one
// counts.
bool is_fact(const Document& doc);

// Reports an object that is in two places, or from which two units of Flux or Argo CD make
// different objects.
void report_duplicate(const load::Loaded& loaded, const Document& first, const Document& second,
                      Diagnostics& diagnostics);

// Warns of a hook that would otherwise be a parent.
void warn_of_hook(const Document& doc, Diagnostics& diagnostics);

}  // namespace renderer::plan
