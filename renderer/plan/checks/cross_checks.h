// What can only be seen with all proxies at hand: settings that concern several, names and
// hostnames that clash, the same object twice, bundles that cannot hold what is generated.
#pragma once

#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/model.h"
#include "renderer/plan/parents.h"

namespace renderer {

// Once, at the setting or at a class's variable, with every proxy that it would break.
void check_firewall_mode(const Plan& plan, Diagnostics& diagnostics);

// Variables of a class with which containerboot does not start, where a proxy has the class.
// Source: tailscale v1.96.5 cmd/containerboot/settings.go, settings.validate.
void check_refused_env(const Plan& plan, Diagnostics& diagnostics);

// Static endpoints of a class that no ProxyGroup uses, but others.
void check_static_endpoints(const Plan& plan, Diagnostics& diagnostics);

// A proxy with the tag of the operator's own device may give every tag that this one owns.
void check_operator_tags(const Plan& plan, Diagnostics& diagnostics);

// Two devices of one hostname in one tailnet: the second would join as "<hostname>-1".
void check_hostnames(const Plan& plan, Diagnostics& diagnostics);

// Objects of two owners that would have one name: parents whose hashes are the same, a Recorder
// that is called like the operator, or like something that is in the inputs.
void check_names(const Loaded& loaded, const Plan& plan, Diagnostics& diagnostics);

// Objects that are made become files in directories of their namespaces.
void check_made_names(const Loaded& loaded, const Plan& plan, Diagnostics& diagnostics);

// A bundle into which generated objects go must let them have their namespace.
void check_bundles(const Loaded& loaded, const Plan& plan, Diagnostics& diagnostics);

// One of the objects that we build on is in the inputs twice.
void check_duplicates(const Loaded& loaded, const Inventory& inventory,
                      std::vector<const ParentInput*> consumed, Diagnostics& diagnostics);

}  // namespace renderer
