// Which Services and Ingresses get a proxy of their own, which ask for something that is not built
// yet, and which are none of our business. Source of the rules: tailscale v1.96.5
// cmd/k8s-operator/{svc,ingress}.go (shouldExpose, tailnetTargetAnnotation, shouldExpose of
// Ingress). What the operator would ignore with a log line at most stays foreign.
#pragma once

#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/settings/settings.h"

namespace renderer {

// Sorted by (namespace, name).
struct Parents {
    std::vector<const ServiceInput*> services;        // exposed to the tailnet, or targeting it
    std::vector<const ServiceInput*> members;         // targeting it through a group
    std::vector<const IngressInput*> ingresses;       // of our class
    std::vector<const ServiceInput*> group_services;  // exposed through a group
    std::vector<const ServiceInput*> idle_services;   // naming a group, but asking for nothing
    std::vector<const IngressInput*> group_ingresses;
};

Parents find_parents(const Loaded& loaded, const Inventory& inventory, const Settings& settings,
                     Diagnostics& diagnostics);

// True when the tailnet reaches this parent, false when it targets a place in the tailnet.
bool is_exposed(const ServiceInput& service, const Settings& settings);

// The operator has made it.
bool is_managed(const ServiceInput& service);

// Unlike for a proxy of its own, the operator's default load balancer does not count.
bool is_exposed_by_group(const ServiceInput& service);

// What classify could not decode of an object that matters to us.
void report_faults(const ParentInput& parent, Diagnostics& diagnostics);

// True when an applier sees the document, its bundle is ours to render, and helm does not run it as
// a hook.
bool is_rendered(const Loaded& loaded, const Document& doc);

// The same, hooks included.
bool is_applied(const Loaded& loaded, const Document& doc);

// True for what is known but never a parent. Of two objects of one name the other one counts.
bool is_fact(const Document& doc);

// One object from two places, or from one that two units of Flux or Argo CD apply differently.
void report_duplicate(const Loaded& loaded, const Document& first, const Document& second,
                      Diagnostics& diagnostics);

// To be said of a hook that asks for something.
void warn_of_hook(const Document& doc, Diagnostics& diagnostics);

}  // namespace renderer
