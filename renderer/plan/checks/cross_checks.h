// Checks that need all proxies: settings that concern several, names and hostnames that clash,
// duplicate objects, bundles that cannot have the generated objects.
#pragma once

#include <string_view>
#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/model.h"
#include "renderer/plan/parents.h"

namespace renderer::plan {

// True if the pods have firewall rules.
bool forwards(const Workload& one);

// Reports an invalid mode once, at the setting or at a class's variable, with every proxy that it
// would break.
void check_firewall_mode(const Plan& plan, Diagnostics& diagnostics);

// Refuses variables of a class with which containerboot does not start, if a proxy has the class.
// Source: tailscale v1.96.5 cmd/containerboot/settings.go, settings.validate.
void check_refused_env(const Plan& plan, Diagnostics& diagnostics);

// Warns of fields of a class that have no effect on any of the objects that use it.
inline constexpr std::string_view kClassFieldRule = "class-field-without-effect";
void check_class_effects(const Plan& plan, Diagnostics& diagnostics);

// Returns the places of such fields that have an effect. Another cluster may use the class for
// objects on which they have none.
std::vector<Pos> class_fields_with_effect(const Plan& plan);

// Warns of a class with which pods accept a route of the tailnet to their own cluster, from a
// Connector among the inputs: Linux prefers it to the network of the pods.
void check_accepted_routes(const classify::Inventory& inventory, const Plan& plan,
                           Diagnostics& diagnostics);

// Warns of a proxy with a tag of the operator's own device: it may assign every tag that this tag
// owns.
void check_operator_tags(const Plan& plan, Diagnostics& diagnostics);

// Refuses two devices with one hostname in one tailnet: the second would join as "<hostname>-1".
void check_hostnames(const Plan& plan, Diagnostics& diagnostics);

// Refuses objects of two owners that would have one name: parents with the same hash, or a Recorder
// with the name of an object of the operator or of the inputs.
void check_names(const load::Loaded& loaded, const Plan& plan, Diagnostics& diagnostics);

// Checks the names of generated objects, which become files in directories of their namespaces.
void check_made_names(const load::Loaded& loaded, const Plan& plan, Diagnostics& diagnostics);

// Refuses a bundle that forces generated objects into another namespace.
void check_bundles(const load::Loaded& loaded, const Plan& plan, Diagnostics& diagnostics);

// Refuses duplicates in the inputs of an object that the plan is based on.
void check_duplicates(const load::Loaded& loaded, const classify::Inventory& inventory,
                      std::vector<const classify::ParentInput*> consumed, Diagnostics& diagnostics);

}  // namespace renderer::plan
